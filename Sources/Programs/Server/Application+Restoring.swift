import Authentication
package import Configuration
import Execution
internal import Foundation
package import Model
import PersonalData
import Store
import StoreThread
import Telemetry

/// The result of putting a backup into a folder: all that was found, and all that the folder lacks.
///
/// - Confinement: any
package struct RestoreReport: Sendable {
    /// A ledger of erasures that was found.
    ///
    /// - Confinement: any
    package struct Ledger: Sendable {
        package let path: String
        package let erasures: Int
        /// Whether it is of the same server, or was named by the operator; others are left alone.
        package let isUsed: Bool
    }

    /// The newest position of the backup.
    package let head: Position
    /// A time at which it was written; nil when little was.
    package let newest: Timestamp?
    /// The number of its newest migration.
    package let schema: Int
    /// The erasures that the backup knows itself.
    package let erasures: Int
    package let ledgers: [Ledger]
    /// The people who were in the backup, and were erased again.
    package let erasedAgain: Int
    /// Files with secrets that were beside the backup, and that the folder did not have.
    package let brought: [String]
    /// Files with secrets that the folder has not.
    package let lacking: [String]
}

extension Application {
    /// Replaces the database of a folder with a backup. The next start begins a new epoch, so that every client fetches
    /// its state again.
    ///
    /// Those who were erased after the backup was made are erased again: by the ledger of the folder, by those beside the backup
    /// that are of the same server, and by those that are named.
    ///
    /// - Parameters:
    ///   - file: The answer of `GET /v1/backup`, or a copy of a stopped server's database.
    ///   - ledgers: paths of further ledgers.
    ///   - replaces: Whether an existing database may be replaced.
    /// - Throws: ``StartProblem``; then the folder is unchanged. Where an erasure failed, the next start begins it again.
    @discardableResult
    package static func restore(
        _ file: String, into folder: String, ledgers: [String] = [], replaces: Bool
    ) throws(StartProblem) -> RestoreReport {
        do {
            // Before the folder changes: a ledger that cannot be read is no reason to forget an erasure.
            let named = try ledgers.map { try BackupFile.Ledger($0) }
            let found = try BackupFile.ledgers(besides: file).filter { ledger in
                !named.contains { $0.path == ledger.path }
            }
            let secretsBeside = try BackupSecrets(besides: file)
            let backup = try Restoration.restore(file, into: folder, replaces: replaces)
            let used = named + found.filter(backup.isOfSameServer)
            let erasedAgain = try eraseAgain(in: folder, used.flatMap(\.lines))
            let all = (named + found).map { ledger in
                RestoreReport.Ledger(
                    path: ledger.path, erasures: ledger.lines.count, isUsed: used.contains { $0.path == ledger.path })
            }
            let brought = try secretsBeside?.put(into: folder, SecretFiles.names) ?? []
            let secrets = [ServerSecret.fileName] + (backup.hasBrowsers ? [VAPIDKeys.fileName] : [])
            return RestoreReport(
                head: backup.head, newest: backup.newest, schema: backup.schema, erasures: backup.erasureCount,
                ledgers: all, erasedAgain: erasedAgain, brought: brought,
                lacking: secrets.filter { !FileManager.default.fileExists(atPath: folder + "/" + $0) })
        } catch {
            throw StartProblem(isConfiguration: false, "\(error)")
        }
    }

    /// Erases those whom the ledgers name: the copy may be older than their erasure.
    ///
    /// - Returns: how many of them the copy had.
    private static func eraseAgain(in folder: String, _ lines: [ErasureLine]) throws -> Int {
        let directory = try DataDirectory(folder)
        let ledger = ErasureLedger(of: directory)
        try ledger.add(lines)
        guard try !ledger.lines().isEmpty else { return 0 }
        let writer = try Storage.openWriter(directory)
        let machine = try StateMachine(
            triggerRows: try writer.read { try $0.triggers.all() }, collections: TopicCollections())
        let start = ErasureStart(writer, machine, ledger, .system)
        let before = try writer.read { try $0.erasures.countRunning() }
        try start.settle()
        let begun = try writer.read { try $0.erasures.countRunning() } - before
        try start.finish()
        try writer.close()
        return Int(begun)
    }
}
