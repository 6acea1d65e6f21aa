import ClientProtocol
package import JSON

/// Writes that the server cannot take: one that is too long, and one with which each connection ends. They must neither keep the
/// others from going, nor end connections for ever.
extension Outbox {
    /// How many connections in a row may end with a write under way before it goes alone; then the next end is its own.
    private static let endsMax = 3
    /// The bytes that a message may have besides the command as it was written: `id`, `ifVersion`, a longer key.
    private static let frameBytes = 64

    /// Whether a write goes alone, because it may be the one that ends connections.
    var isProbing: Bool { items.contains(where: \.isSuspect) }

    /// Whether a command of this size is longer than what the server takes.
    func isTooLarge(_ size: Int) -> Bool { Int64(size + Self.frameBytes) > messageBytesMax }

    /// The error of a command of this size, in the form of the contract.
    func tooLarge(_ size: Int, isClosed: Bool = false) -> JSONValue {
        let reason =
            isClosed
            ? "the server has ended the connection because of its size" : "the server takes at most \(messageBytesMax)"
        let message = "the command has up to \(size + Self.frameBytes) bytes as it is sent; \(reason)"
        return ["code": "too-large", "class": "permanent", "message": .string(message)]
    }

    /// The error of a command that is longer than what the server takes, by what is known of the server; nil when it is not.
    package func refusal(of command: JSONObject) -> JSONValue? {
        let size = JSONValue.object(command).bytes.count
        return isTooLarge(size) ? .some(tooLarge(size)) : .none
    }

    /// The server has answered it.
    mutating func clear(_ place: Int) {
        items[place].ends = 0
        items[place].isSuspect = false
    }

    /// A connection has ended with writes under way: finds the one that ends each connection, so that the others go on.
    mutating func suspect(after end: TransportEnd?) {
        let cut = items.indices.filter { items[$0].isCut }
        for place in cut { items[place].isCut = false }
        guard let end else { return }
        let isTooLong = if case .closed(CloseCode.messageTooBig.rawValue, _) = end { true } else { false }
        if isTooLong, cut.count == 1 { return fail(cut[0], tooLarge(items[cut[0]].bytes, isClosed: true)) }
        guard isTooLong || Self.isAbnormal(end) else { return }
        for place in cut {
            if !isTooLong { items[place].ends += 1 }
            if items[place].ends > Self.endsMax, items[place].isSuspect, cut.count == 1 {
                fail(place, Self.lostEachTime(items[place].ends))
            } else if isTooLong || items[place].ends >= Self.endsMax {
                items[place].isSuspect = true
            }
        }
    }

    /// Whether an end may be the fault of what was sent: not one that the server or this device wanted.
    private static func isAbnormal(_ end: TransportEnd) -> Bool {
        switch end {
        case .lost, .violation, .closed(nil, _): true
        case .closed(let code?, _): (1002...1011).contains(code)
        case .refused, .badHandshake, .encryption: false
        }
    }

    private static func lostEachTime(_ count: Int) -> JSONValue {
        let message = "the connection ended each of the \(count) times that the write was sent"
        return ["code": "connection-lost", "class": "permanent", "message": .string(message)]
    }
}
