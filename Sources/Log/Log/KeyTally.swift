/// The owners and sizes of the newest keys, as the writer has written them, so that adding them up does not read them again: that took a
/// fortieth of the time of a message.
///
/// A rollback or a deletion does not reach it, so it may know of keys that are not there any more. The number of rows must be compared before
/// a part of it is used.
///
/// - Confinement: store (the writer's thread)
struct KeyTally {
    private struct Entry {
        let user: Int64
        let bytes: Int64
    }

    /// Enough for those that come between two additions at full speed; an addition that finds more missing reads the rows.
    private static let entriesMax = 1 << 15

    /// The number of the first entry. Numbers go up by one.
    private var first: Int64 = 0
    private var entries: [Entry] = []

    /// Bytes of a key's row, as the trigger `key_gone` of `Schema.bounds` takes them off again; 64 are those of its numbers and indexes.
    static func bytes(_ key: String, reply: [UInt8]) -> Int64 { 64 + Int64(key.unicodeScalars.count + reply.count) }

    /// Notes a key that was written. One of the same number was undone, and all after it.
    mutating func note(_ id: Int64, of user: Int64, bytes: Int64) {
        let index = id - first
        if index < 0 || index > Int64(entries.count) || entries.count == Self.entriesMax {
            entries.removeAll(keepingCapacity: true)
            first = id
        } else if index < Int64(entries.count) {
            entries.removeSubrange(Int(index)...)
        }
        entries.append(Entry(user: user, bytes: bytes))
    }

    /// How many keys it knows of those that follow a number without a gap, at most `limit`.
    func count(after counted: Int64, limit: Int) -> Int {
        let start = counted + 1 - first
        guard start >= 0, start < Int64(entries.count) else { return 0 }
        return min(limit, entries.count - Int(start))
    }

    /// The bytes of the keys that follow a number, by their owners, in the order of these.
    ///
    /// - Parameter count: How many keys, at most as many as ``count(after:limit:)`` says.
    func sums(after counted: Int64, count: Int) -> [(user: Int64, bytes: Int64)] {
        let start = Int(counted + 1 - first)
        var sums: [Int64: Int64] = [:]
        for entry in entries[start..<start + count] { sums[entry.user, default: 0] += entry.bytes }
        return sums.sorted { $0.key < $1.key }.map { (user: $0.key, bytes: $0.value) }
    }

    /// Forgets the keys up to a number, which were added up.
    mutating func drop(upTo counted: Int64) {
        let count = counted + 1 - first
        guard count > 0 else { return }
        entries.removeFirst(min(Int(count), entries.count))
        first = counted + 1
    }
}
