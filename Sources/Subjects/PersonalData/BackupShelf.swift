internal import Foundation
import Files
package import Model
import Store

/// The folder in which a server keeps the copies that it makes by itself: `watchwise-2026-12-01T04-00-00Z.db`, the ledger of
/// erasures, which every restoration obeys, and beside each copy the files with secrets where the operator wants them.
///
/// - Confinement: one thread at a time
package struct BackupShelf: Sendable {
    /// A finished copy.
    ///
    /// - Confinement: any
    package struct Copy: Sendable, Hashable {
        package let name: String
        /// When it was begun.
        package let at: Timestamp
        package let bytes: Int
        package let hasSecrets: Bool
    }

    package let folder: String
    private var files: FileManager { .default }

    /// Makes the folder where it is missing, and removes what a killed server has left.
    ///
    /// - Throws: the file system's error.
    package init(_ folder: String) throws {
        self.folder = folder
        if !FileManager.default.fileExists(atPath: folder) {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where Self.isRemainder(name) {
            try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
    }

    /// The path of a finished copy.
    package func path(of name: String) -> String { folder + "/" + name }

    /// The path under which a copy is made; it gets its name when it is finished.
    package func partialPath(of name: String) -> String { path(of: name) + Self.partial }

    /// Gives a copy its name.
    ///
    /// - Throws: the file system's error.
    package func finish(_ name: String) throws {
        try files.moveItem(atPath: partialPath(of: name), toPath: path(of: name))
        try LeftLog.flush(folder: folder)
    }

    /// Removes what was made of a copy that does not count.
    ///
    /// - Throws: the file system's error.
    package func discard(_ name: String) throws {
        try DatabaseCopy.remove(partialPath(of: name))
        let secrets = path(of: name + BackupSecrets.suffix)
        if files.fileExists(atPath: secrets) { try files.removeItem(atPath: secrets) }
    }

    /// The finished copies, the newest first.
    ///
    /// - Throws: the file system's error.
    package func copies() throws -> [Copy] {
        let names = try files.contentsOfDirectory(atPath: folder)
        let secrets = Set(names.filter { $0.hasSuffix(BackupSecrets.suffix) })
        return names.compactMap { name in
            guard let at = Self.time(of: name), let bytes = DiskFigures.bytes(ofFile: path(of: name)) else {
                return nil
            }
            return Copy(
                name: name, at: at, bytes: bytes, hasSecrets: secrets.contains(name + BackupSecrets.suffix))
        }
        .sorted { $0.at > $1.at }
    }

    /// Removes the oldest copies.
    ///
    /// - Returns: how many went.
    /// - Throws: the file system's error.
    package func thin(to count: Int) throws -> Int {
        let old = try copies().dropFirst(count)
        for copy in old {
            try files.removeItem(atPath: path(of: copy.name))
            if copy.hasSecrets { try files.removeItem(atPath: path(of: copy.name + BackupSecrets.suffix)) }
        }
        return old.count
    }

    /// Writes the ledger of erasures beside the copies, in the place of an earlier one; nothing where nobody was erased.
    ///
    /// - Throws: `PrivateFileError`, or the file system's error.
    package func write(_ ledger: ErasureLedger, epoch: Epoch) throws {
        let lines = try ledger.lines()
        guard !lines.isEmpty else { return }
        try BackupFile.Ledger.write(lines, epoch: epoch.text, to: path(of: "watchwise" + BackupFile.Ledger.suffix))
    }

    // MARK: Names

    private static let partial = ".part"
    private static let (beginning, ending) = ("watchwise-", ".db")

    /// `watchwise-2026-12-01T04-00-00Z.db`, in UTC.
    package static func name(at time: Timestamp) -> String {
        let text = Timestamp(milliseconds: time.milliseconds / 1000 * 1000).text.prefix { $0 != "." && $0 != "Z" }
        return beginning + text.replacing(":", with: "-") + "Z" + ending
    }

    /// The time in a name; nil for the name of another file.
    static func time(of name: String) -> Timestamp? {
        guard name.hasPrefix(beginning), name.hasSuffix("Z" + ending) else { return nil }
        let text = name.dropFirst(beginning.count).dropLast(ending.count)
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        return Timestamp(parts[0] + "T" + parts[1].replacing("-", with: ":"))
    }

    /// Whether a file is of a copy that was not finished: SQLite may have had a log beside it.
    private static func isRemainder(_ name: String) -> Bool {
        name.hasPrefix(beginning)
            && ["", "-journal", "-wal", "-shm"].contains { name.hasSuffix(ending + partial + $0) }
    }
}
