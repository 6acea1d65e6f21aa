package import Configuration
import Execution
import Store
import StoreThread
import Telemetry

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
            try eraseAgain(in: folder)
        } catch {
            throw StartProblem(isConfiguration: false, "\(error)")
        }
    }

    /// Erases those whom the folder's ledger names: the copy may be older than their erasure.
    private static func eraseAgain(in folder: String) throws {
        let directory = try DataDirectory(folder)
        let ledger = ErasureLedger(of: directory)
        guard try !ledger.lines().isEmpty else { return }
        let writer = try Storage.openWriter(directory)
        let machine = try StateMachine(
            triggerRows: try writer.read { try $0.triggers.all() }, collections: TopicCollections())
        let start = ErasureStart(writer, machine, ledger, .system)
        try start.settle()
        try start.finish()
        try writer.close()
    }
}
