package import Configuration
import Store

extension Application {
    /// Replaces the database of a folder with a backup. The next start begins a new epoch, so that every client fetches
    /// its state again.
    ///
    /// - Parameters:
    ///   - file: The answer of `GET /v1/backup`, or a copy of a stopped server's database.
    ///   - replaces: Whether an existing database may be replaced.
    /// - Throws: ``StartProblem``; then the folder is unchanged.
    package static func restore(_ file: String, into folder: String, replaces: Bool) throws(StartProblem) {
        do {
            try Restoration.restore(file, into: folder, replaces: replaces)
        } catch {
            throw StartProblem(isConfiguration: false, "\(error)")
        }
    }
}
