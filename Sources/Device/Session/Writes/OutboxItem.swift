import JSON

/// An entry of an outbox and its way in this process.
/// - Confinement: any
struct OutboxItem: Sendable {
    /// Where this process is with an entry.
    enum Phase: Sendable, Equatable { case idle, preparing, flying, deciding }

    var entry: WriteEntry
    var bytes: Int
    var phase = Phase.idle
    /// Its own event has come, while the reply has not.
    var ok: JSONValue?
    /// Whether the store has it no longer, since its own event has come.
    var isGone = false
    var isKept = false
    var isReported = false
    /// Answers of the store that are still to come.
    var keeping = 0
    var until: Int64?
    var backoff: Backoff
    /// How many connections in a row have ended with it under way.
    var ends = 0
    /// Whether it may be the one that ends connections: then it goes alone.
    var isSuspect = false
    /// Whether the connection that ends now had it under way.
    var isCut = false

    /// `k`, `k~1`, `k~2`.
    static func nextKey(after key: String) -> String {
        let parts = key.split(separator: "~", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last, last.allSatisfy(\.isNumber), let count = Int(last) else {
            return key + "~1"
        }
        return parts.dropLast().joined(separator: "~") + "~\(count + 1)"
    }
}
