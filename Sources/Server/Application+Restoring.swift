package import Configuration
import Store

extension Application {
    /// Puts a backup in the place of what a folder holds; the next start begins a new epoch, so that every client fetches
    /// its state anew.
    ///
    /// - Parameters:
    ///   - file: what `GET /v1/backup` gave, or a copy of a stopped server's database.
    ///   - replaces: whether a database that is there already may go.
    /// - Throws: ``StartProblem``, after which the folder is as it was.
    package static func restore(_ file: String, into folder: String, replaces: Bool) throws(StartProblem) {
        do {
            try Restoration.restore(file, into: folder, replaces: replaces)
        } catch {
            throw StartProblem(isConfiguration: false, "\(error)")
        }
    }
}
