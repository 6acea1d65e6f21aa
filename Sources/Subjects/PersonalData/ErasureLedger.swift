import Files
internal import Foundation
import GRDB
package import Log
package import Model
import Store

/// A line of the ledger of erasures.
///
/// - Confinement: any
package struct ErasureLine: Sendable, Hashable {
    /// The key of the digest.
    package let key: String
    package let erased: ErasedName
    package let mode: String
    /// Patterns of paths, as JSON.
    package let documents: String

    package init(key: String, erased: ErasedName, mode: String, documents: String) {
        self.key = key
        self.erased = erased
        self.mode = mode
        self.documents = documents
    }

    var text: String {
        let numbers = "\(erased.at.milliseconds) \(erased.until.milliseconds) \(erased.isInvited ? 1 : 0)"
        return "erased \(key) \(erased.hash) \(numbers) \(mode) \(documents)"
    }

    /// Nil for a line that a power cut has torn.
    fileprivate init?(_ line: Substring) {
        let parts = line.split(separator: " ", maxSplits: 7).map(String.init)
        guard parts.count == 8, parts[0] == "erased", let at = Int64(parts[3]), let until = Int64(parts[4]),
            parts[7].hasSuffix("]")
        else { return nil }
        self.init(
            key: parts[1],
            erased: ErasedName(
                hash: parts[2], at: Timestamp(milliseconds: at), until: Timestamp(milliseconds: until),
                isInvited: parts[5] == "1"),
            mode: parts[6], documents: parts[7])
    }
}

/// The file `erasures` beside the database: who was erased, by digests of names. A copy of the database that is older than an
/// erasure does not bring the person back, for the ledger is no part of any copy.
///
/// - Confinement: one thread at a time
package final class ErasureLedger: Sendable {
    private let path: String
    private let folder: String

    package init(of directory: DataDirectory) {
        path = directory.erasuresPath
        folder = directory.path
    }

    /// The size of the file; it only grows.
    package var bytes: Int { DiskFigures.bytes(ofFile: path) ?? 0 }

    /// All erasures, each as its newest line says.
    ///
    /// - Throws: the file system's error.
    package func lines() throws -> [ErasureLine] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return Self.lines(of: try String(contentsOfFile: path, encoding: .utf8))
    }

    static func lines(of text: String) -> [ErasureLine] {
        var (marks, newest) = ([String](), [String: ErasureLine]())
        for line in text.split(separator: "\n").compactMap({ ErasureLine($0) }) {
            let mark = line.erased.mark
            if newest.updateValue(line, forKey: mark) == nil { marks.append(mark) }
        }
        return marks.compactMap { newest[$0] }
    }

    /// Adds the erasures of the database that the file lacks, and flushes it.
    ///
    /// - Throws: the file system's error, or `DatabaseError`.
    package func settle(with transaction: Transaction) throws {
        guard let key = try transaction.erasures.key() else { return }
        let known = Set(try lines().map(\.text))
        try append(try transaction.erasures.lines(key: key).map(\.text).filter { !known.contains($0) })
    }

    /// Adds the lines of another ledger that the file lacks, and flushes it.
    ///
    /// - Throws: the file system's error.
    package func add(_ lines: [ErasureLine]) throws {
        let known = Set(try self.lines().map(\.erased.mark))
        try append(lines.filter { !known.contains($0.erased.mark) }.map(\.text))
    }

    private func append(_ lacking: [String]) throws {
        guard !lacking.isEmpty else { return }
        let isNew = !FileManager.default.fileExists(atPath: path)
        try PrivateAccess.makeFile(path)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.seekToEnd()
        // A line that a power cut has torn must not swallow the next one.
        try handle.write(contentsOf: Data("\n\(lacking.joined(separator: "\n"))\n".utf8))
        try handle.synchronize()
        try handle.close()
        if isNew { try LeftLog.flush(folder: folder) }
    }

    /// The erasures of which the database knows nothing: it is an older copy.
    package func unknown(to transaction: Transaction) throws -> [ErasureLine] {
        let lines = try lines()
        guard !lines.isEmpty else { return [] }
        let known = Set(try transaction.erasures.all().map(\.erased.mark))
        return lines.filter { !known.contains($0.erased.mark) }
    }
}

extension ErasedName {
    /// The same erasure is known by its digest and time.
    fileprivate var mark: String { "\(hash) \(at.milliseconds)" }
}

extension ErasureTable {
    /// All erasures, as the ledger has them.
    func lines(key: String) throws -> [ErasureLine] {
        try all().map { ErasureLine(key: key, erased: $0.erased, mode: $0.mode, documents: $0.documents) }
    }
}
