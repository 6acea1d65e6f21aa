internal import Foundation
import Model

/// A small file beside the database that remembers how far the log had come. With it the next start finds out that the
/// database was restored from an older copy: such a database has come less far, or is another file.
///
/// Its record is at most a second old, and never newer than the database: after a crash the database has come as far as
/// its witness, or further. After a power cut a member's database may have come less far (``MemberLog``): among other nodes
/// that does not count, and alone it begins a new epoch. The file has two places, written in turn: a write that a power
/// cut tears leaves the other.
///
/// - Confinement: store
final class HeadWitness {
    /// A record of the file.
    struct Testimony: Sendable, Hashable {
        let epoch: Epoch
        let head: Position
        /// Number of the database's file in its file system.
        let file: UInt64

        /// `EPOCH HEAD FILE|EPOCH HEAD FILE`, filled up with spaces: twice the same, so that half of it is no record.
        var record: [UInt8] {
            let text = "\(epoch.text) \(head.value) \(file)"
            let bytes = Array("\(text)|\(text)".utf8)
            return bytes + Array(repeating: UInt8(ascii: " "), count: HeadWitness.slotBytes - 1 - bytes.count) + [10]
        }
    }

    private static let slotBytes = 256
    private let handle: FileHandle
    private let file: UInt64
    private var slot: UInt64 = 0
    private var written: Testimony?

    /// Opens the witness of a database, made if there is none.
    ///
    /// - Throws: ``DataDirectory/Problem`` when it cannot be made or opened.
    init(of directory: DataDirectory) throws {
        do {
            try PrivateAccess.makeFile(directory.witnessPath)
            handle = try FileHandle(forUpdating: URL(fileURLWithPath: directory.witnessPath))
        } catch {
            throw DataDirectory.Problem(
                description: "cannot open \(directory.witnessPath): \(error.localizedDescription)")
        }
        file = try Self.number(ofFile: directory.databasePath)
    }

    /// The newest record; nil when there is no whole one, as for a database that was never served from here.
    func read() throws -> Testimony? {
        try handle.seek(toOffset: 0)
        let bytes = Array(try handle.read(upToCount: 2 * Self.slotBytes) ?? Data())
        return [bytes.prefix(Self.slotBytes), bytes.dropFirst(Self.slotBytes)]
            .compactMap { Testimony(record: $0) }.max { $0.head < $1.head }
    }

    /// Why the database cannot be the one that was last served here; nil when it is.
    func objection(to epoch: Epoch, head: Position) throws -> String? {
        guard let known = try read() else { return "no file beside the database says how far it had come" }
        if known.epoch != epoch { return "the database has another epoch" }
        if head < known.head { return "the database ends at \(head), but had come to \(known.head)" }
        return known.file == file ? nil : "the file of the database was replaced"
    }

    /// Notes how far the log has come; writes nothing when the file says so already.
    ///
    /// - Parameters:
    ///   - head: committed and flushed already.
    ///   - isFlushed: whether the note must outlive a power cut; it outlives a crash of the process anyway.
    func note(_ epoch: Epoch, _ head: Position, isFlushed: Bool) throws {
        let testimony = Testimony(epoch: epoch, head: head, file: file)
        if testimony != written {
            try handle.seek(toOffset: slot * UInt64(Self.slotBytes))
            try handle.write(contentsOf: Data(testimony.record))
            slot = 1 - slot
            written = testimony
        }
        if isFlushed { try handle.synchronize() }
    }

    /// A new history begins: the notes of the one before do not count any more.
    func forget() throws {
        try handle.truncate(atOffset: 0)
        written = nil
    }

    /// Closes the file.
    func close() throws { try handle.close() }

    private static func number(ofFile path: String) throws -> UInt64 {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0
    }
}

@available(*, unavailable)
extension HeadWitness: Sendable {}

extension HeadWitness.Testimony {
    /// Nil when it is not whole.
    init?(record: some Collection<UInt8>) {
        let halves = String(decoding: record, as: UTF8.self).split(separator: "|")
        guard halves.count == 2, let first = halves.first, let last = halves.last,
            last.hasPrefix(first),
            last.dropFirst(first.count).allSatisfy({ $0 == " " || $0 == "\n" })
        else { return nil }
        let words = first.split(separator: " ")
        guard words.count == 3, let epoch = Epoch(String(words[0])), let head = Int64(words[1]),
            let file = UInt64(words[2])
        else { return nil }
        self.init(epoch: epoch, head: Position(head), file: file)
    }
}
