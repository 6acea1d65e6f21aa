package import JSON
import Model

/// The ranges of message numbers that a store lacks of a chat: ascending, both ends included.
/// - Confinement: any
package struct MessageGaps: Sendable, Equatable {
    package private(set) var ranges: [ClosedRange<Int64>]

    /// The gaps of the row of a chat.
    package init(_ chat: JSONObject?) {
        ranges = (chat?["gaps"]?.arrayValue ?? []).compactMap { pair in
            guard let pair = pair.arrayValue, pair.count == 2, let first = pair[0].integerValue,
                let last = pair[1].integerValue, first <= last
            else { return nil }
            return first...last
        }
    }

    private init(_ ranges: [ClosedRange<Int64>]) { self.ranges = ranges }

    /// As the row of a chat has them.
    package var json: JSONValue {
        .array(ranges.map { [.integer($0.lowerBound), .integer($0.upperBound)] })
    }

    /// With the messages between the newest known one and a newer one missing.
    func missing(before n: Int64, top: Int64) -> MessageGaps {
        n > top + 1 ? MessageGaps(ranges + [(top + 1)...(n - 1)]) : self
    }

    /// Without a range that was filled.
    func filled(_ first: Int64, _ last: Int64) -> MessageGaps {
        MessageGaps(
            ranges.flatMap { range -> [ClosedRange<Int64>] in
                guard first <= range.upperBound, last >= range.lowerBound, first <= last else { return [range] }
                var rest: [ClosedRange<Int64>] = []
                if range.lowerBound < first { rest.append(range.lowerBound...(first - 1)) }
                if last < range.upperBound { rest.append((last + 1)...range.upperBound) }
                return rest
            })
    }

    /// With everything below a number missing, since a store has deleted it.
    package func trimmed(below: Int64) -> MessageGaps {
        guard below > 1 else { return self }
        var rest = ranges.compactMap { $0.upperBound < below ? nil : max($0.lowerBound, below)...$0.upperBound }
        if let first = rest.first, first.lowerBound == below {
            rest[0] = 1...first.upperBound
        } else {
            rest.insert(1...(below - 1), at: 0)
        }
        return MessageGaps(rest)
    }
}

/// The reactions of a message, as the contract writes them.
/// - Confinement: any
struct Reactions {
    private var list: [JSONObject]

    init(_ reactions: JSONValue?) { list = (reactions?.arrayValue ?? []).compactMap(\.objectValue) }

    var json: JSONValue { .array(list.map { .object($0) }) }

    /// With one more or one less of an emoji; a repetition by this user changes nothing.
    /// - Parameter count: How many there are now, if the server says it.
    func changed(_ emoji: String, on: Bool, isMine: Bool, count: Int64? = nil) -> Reactions {
        // Two forms of an emoji are one; an earlier server has counted them apart.
        func isSame(_ reaction: JSONObject) -> Bool {
            EmojiForm.bare(reaction.string("emoji") ?? "") == EmojiForm.bare(emoji)
        }
        let place = list.firstIndex(where: isSame)
        let found: JSONObject = place.map { list[$0] } ?? ["emoji": .string(emoji), "count": 0, "mine": false]
        if isMine, found.isTrue("mine") == on, count == nil || count == found.integer("count") { return self }
        let changed = found.with([
            "count": .integer(count ?? found.integer("count") + (on ? 1 : -1)),
            "mine": .bool(isMine ? on : found.isTrue("mine")),
        ])
        var result = self
        if let place {
            let later = list[(place + 1)...].filter { !isSame($0) }
            result.list = list[..<place] + [changed] + later
        } else {
            result.list.append(changed)
        }
        result.list.removeAll { $0.integer("count") <= 0 }
        return result
    }
}

/// Ids of chats of two people: both ids in the order of their bytes.
/// - Confinement: any
package enum ChatAddress {
    /// The chat of two people.
    package static func pair(_ one: String, _ other: String) -> String {
        Array(one.utf8).lexicographicallyPrecedes(Array(other.utf8)) ? "\(one):\(other)" : "\(other):\(one)"
    }

    /// The other person of a chat of two.
    package static func other(in chat: String, than user: String) -> String? {
        let parts = chat.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        return parts.first { $0 != user }
    }
}
