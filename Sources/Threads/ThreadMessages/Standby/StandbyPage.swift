package import Journal

/// Recorded commits on their way from a primary to its standby: the answer to one question.
///
/// ```
/// last ended n × (sequence term n × part)      in the form of the fields of an entry
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
    /// Whether the primary commits nothing more, since it was handed over or stops: nothing comes after ``last``.
    package var isEnded = false
    package var entries: [Entry] = []

    package init() {}

    /// The bytes of the answer.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(varint: last)
        bytes.append(isTrue: isEnded)
        bytes.append(list: entries) { bytes, entry in
            bytes.append(varint: entry.place.sequence)
            bytes.append(varint: entry.place.term)
            bytes.append(list: entry.parts) { bytes, part in
                bytes.append(count: part.count)
                bytes += part
            }
        }
        return bytes
    }

    /// Reads an answer; nil when it is not a whole one.
    package init?(_ bytes: [UInt8]) {
        var reader = FieldReader(bytes, in: bytes.indices)
        do throws(JournalProblem) {
            last = try reader.varint("last")
            isEnded = try reader.isTrue("ended")
            entries = try reader.list("entries", bytesMin: 3) { reader throws(JournalProblem) in
                let place = JournalPlace(sequence: try reader.varint("sequence"), term: try reader.varint("term"))
                let parts = try reader.list("parts") { reader throws(JournalProblem) in
                    Array(bytes[try reader.range("part")])
                }
                return Entry(place: place, parts: parts)
            }
            try reader.finish()
        } catch { return nil }
    }
}
