package import Journal

/// Recorded commits on their way from a primary to its standby: the answer to one question.
///
/// ```
/// last ended n × (sequence term parts × (length bytes))      numbers have 8 bytes, the lowest first; parts and lengths 4
/// ```
///
/// - Confinement: any
package struct StandbyPage: Sendable, Hashable {
    /// An entry as its author encoded it.
    ///
    /// - Confinement: any
    package struct Entry: Sendable, Hashable {
        package let place: JournalPlace
        /// The messages of which it consists, see `EntryReader`.
        package let parts: [[UInt8]]

        package init(place: JournalPlace, parts: [[UInt8]]) {
            self.place = place
            self.parts = parts
        }

        /// The bytes that it holds.
        package var byteCount: Int { parts.reduce(64) { $0 + $1.count } }
    }

    /// The number of the primary's newest entry.
    package var last: UInt64 = 0
    /// Whether the primary has handed its history over: nothing comes after ``last``.
    package var isEnded = false
    package var entries: [Entry] = []

    package init() {}

    /// The bytes of the answer.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        Self.append(last, 8, to: &bytes)
        bytes.append(isEnded ? 1 : 0)
        for entry in entries {
            Self.append(entry.place.sequence, 8, to: &bytes)
            Self.append(entry.place.term, 8, to: &bytes)
            Self.append(UInt64(entry.parts.count), 4, to: &bytes)
            for part in entry.parts {
                Self.append(UInt64(part.count), 4, to: &bytes)
                bytes += part
            }
        }
        return bytes
    }

    /// Reads an answer; nil when it is not a whole one.
    package init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        guard let last = Self.take(8, from: &rest), let flag = rest.popFirst(), flag <= 1 else { return nil }
        self.last = last
        isEnded = flag == 1
        while !rest.isEmpty {
            guard let sequence = Self.take(8, from: &rest), let term = Self.take(8, from: &rest),
                let count = Self.take(4, from: &rest)
            else { return nil }
            var parts: [[UInt8]] = []
            for _ in 0..<count {
                guard let length = Self.take(4, from: &rest), rest.count >= length else { return nil }
                parts.append(Array(rest.prefix(Int(length))))
                rest = rest.dropFirst(Int(length))
            }
            entries.append(Entry(place: JournalPlace(sequence: sequence, term: term), parts: parts))
        }
    }

    private static func append(_ number: UInt64, _ count: Int, to bytes: inout [UInt8]) {
        for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
    }

    private static func take(_ count: Int, from rest: inout ArraySlice<UInt8>) -> UInt64? {
        guard rest.count >= count else { return nil }
        let number = rest.prefix(count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        rest = rest.dropFirst(count)
        return number
    }
}
