import Files
internal import Foundation
import GRDB
import Log
package import Model
import Push
import Store

/// A copy of the database in a file, as ``DatabaseCopy`` or somebody else has made it, with the ledger of erasures beside it.
///
/// The ledger of a newer copy names those who were erased after an older one was made. It lies beside the copy that it was
/// written with, as `FILE.erasures`.
///
/// - Confinement: any
package struct BackupFile: Sendable {
    package let path: String
    /// The newest position of its log.
    package let head: Position
    /// A time at which its log was written, not much older than the copy; nil for one in which little was written.
    package let newest: Timestamp?
    /// The number of its newest migration.
    package let schema: Int
    /// The history that its positions belong to; nil for a database that no server has opened.
    package let epoch: String?
    /// Whether browsers are registered for pushes.
    package let hasBrowsers: Bool
    private let erasures: [ErasureLine]

    /// The erasures that it knows.
    package var erasureCount: Int { erasures.count }

    /// Reads a whole database.
    ///
    /// - Parameter database: a file with the same content that can be read; nil for the copy itself.
    /// - Throws: `DatabaseError`, or ``StoredValueProblem``.
    package init(_ path: String, readAs database: String? = nil) throws {
        let queue = try Reader.connection(database ?? path)
        self.path = path
        (head, newest, schema, epoch, hasBrowsers, erasures) = try queue.read { database in
            let transaction = Transaction(database: database)
            // A copy may be from before some tables.
            let key = try database.tableExists("erasures") ? transaction.erasures.key() : nil
            let devices = try database.tableExists("push_devices") ? transaction.pushDevices.counts() : [:]
            return (
                try transaction.log.head(),
                try database.tableExists("log_marks") ? transaction.retention.newestTime() : nil,
                try Migration.number(of: database), try transaction.access.meta(.epoch), devices[.webpush] != nil,
                try key.map { try transaction.erasures.lines(key: $0) } ?? []
            )
        }
        try queue.close()
    }

    /// A ledger beside a copy.
    ///
    /// - Confinement: any
    package struct Ledger: Sendable {
        package let path: String
        package let lines: [ErasureLine]
        fileprivate let epoch: String?

        /// - Throws: Foundation's error.
        package init(_ path: String) throws {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            self.path = path
            lines = ErasureLedger.lines(of: text)
            epoch = text.split(separator: "\n").first { $0.hasPrefix(Self.beginning) }
                .map { String($0.dropFirst(Self.beginning.count)) }
        }

        fileprivate static let beginning = "epoch "
        package static let suffix = ".erasures"

        /// Writes a ledger, in the place of an earlier one.
        ///
        /// - Throws: `PrivateFileError`.
        static func write(_ erasures: [ErasureLine], epoch: String, to place: String) throws {
            let lines = [beginning + epoch] + erasures.map(\.text)
            let temporary = URL(fileURLWithPath: place).lastPathComponent + ".part"
            try PrivateFile(path: place).replace(
                Array((lines.joined(separator: "\n") + "\n").utf8), temporaryName: temporary)
        }
    }

    /// Whether a ledger is certainly of the same server: the same key of its digests, or the same history. The ledger of another
    /// server would erase people who have the same names there.
    package func isOfSameServer(_ ledger: Ledger) -> Bool {
        let keys = Set(ledger.lines.map(\.key))
        return !keys.isDisjoint(with: erasures.map(\.key)) || ledger.epoch != nil && ledger.epoch == epoch
    }

    /// Writes the ledger beside the copy, in the place of an earlier one; none when nobody was erased.
    ///
    /// - Returns: its path; nil when there is none.
    /// - Throws: `PrivateFileError`, or Foundation's error.
    package func writeLedger() throws -> String? {
        let place = path + Ledger.suffix
        guard !erasures.isEmpty, let epoch else {
            if FileManager.default.fileExists(atPath: place) { try FileManager.default.removeItem(atPath: place) }
            return nil
        }
        try Ledger.write(erasures, epoch: epoch, to: place)
        return place
    }

    /// The ledgers beside a copy: its own, and those of other copies in the same folder; none where there is no such folder.
    ///
    /// - Throws: Foundation's error when one cannot be read.
    package static func ledgers(besides path: String) throws -> [Ledger] {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return try names.filter { $0.hasSuffix(Ledger.suffix) }.sorted()
            .map { try Ledger(folder.appendingPathComponent($0).path) }
    }
}

extension Restoration {
    /// As ``restore(_:into:replaces:migrations:)``.
    ///
    /// - Returns: the facts about the backup, read from the database that is in the folder now.
    package static func restore(_ file: String, into folder: String, replaces: Bool) throws -> BackupFile {
        let database = try restore(file, into: folder, replaces: replaces, migrations: Schema.migrations)
        return try BackupFile(file, readAs: database)
    }
}
