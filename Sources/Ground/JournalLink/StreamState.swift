package import JSON

/// The journal's stream as its leader sees it.
/// - Confinement: any
package struct StreamState: Sendable, Hashable {
    /// The oldest sequence that is still there; `last + 1` when there is none.
    package let first: UInt64
    /// The last sequence that the leader has applied; 0 before the first entry. A leader that is new may show less
    /// than it has for a moment.
    package let last: UInt64
    /// The number of bytes on one server.
    package let bytes: Int64
    /// The server that leads the stream; empty for a server alone.
    package let leader: String
    /// The version of that server; nil if it does not say it.
    package let version: ServerVersion?
    /// The copies on other servers that have everything the leader has.
    package let currentReplicas: Int
    /// Milliseconds since the leader has heard most servers of the stream, itself among them: one that is cut off from them
    /// leads on, and answers, for 10 s. Nil when it has not heard them.
    package let majorityAgeMilliseconds: Int64?
    /// The history of the cluster's databases, see ``StreamSettings/epoch``; nil when the stream does not say it.
    package let epoch: String?
    /// The configuration as JetStream shows it.
    package let configuration: JSONValue

    /// The name under which the stream keeps the epoch.
    static let epochName = "watchwise-epoch"

    /// Reads an answer of `STREAM.INFO` or `STREAM.CREATE`, or a stream in `/jsz`.
    /// - Throws: ``JournalFailure/malformed(_:)`` with the name of the member that is missing.
    package init(_ value: JSONValue) throws(JournalFailure) {
        guard let state = value["state"] else { throw .malformed("the description of the stream has no 'state'") }
        let last = try Self.number(state, "last_seq")
        let first = try Self.number(state, "first_seq")
        // A stream without entries shows 0 as its first one if it never had any.
        self.first = try Self.number(state, "messages") == 0 ? last + 1 : first
        self.last = last
        bytes = state["bytes"]?.integerValue ?? 0
        leader = value["cluster"]?["leader"]?.stringValue ?? ""
        configuration = value["config"] ?? .null
        version = configuration["metadata"]?["_nats.ver"]?.stringValue.flatMap(ServerVersion.init)
        epoch = configuration["metadata"]?[Self.epochName]?.stringValue
        let replicas = value["cluster"]?["replicas"]?.arrayValue ?? []
        currentReplicas = replicas.count { $0["current"]?.boolValue == true && $0["offline"]?.boolValue != true }
        // With itself, this many make most of them.
        let needed = (replicas.count + 1) / 2
        let ages = replicas.compactMap(Self.silence).sorted()
        majorityAgeMilliseconds =
            needed == 0 ? 0 : ages.count < needed ? nil : ages[needed - 1] / 1_000_000
    }

    /// For how many nanoseconds the leader, which asks each of them every second, has not heard the server of a copy; nil for
    /// one that is away. One that it has never heard has the time 0.
    private static func silence(_ replica: JSONValue) -> Int64? {
        guard replica["offline"]?.boolValue != true, let silence = replica["active"]?.integerValue else { return nil }
        return silence > 0 || replica["current"]?.boolValue == true ? silence : nil
    }

    private static func number(_ state: JSONValue, _ name: String) throws(JournalFailure) -> UInt64 {
        guard let value = state[name]?.integerValue.flatMap({ UInt64(exactly: $0) }) else {
            throw .malformed("the state of the stream has no number '\(name)'")
        }
        return value
    }
}

/// The stream as it was found or made.
/// - Confinement: any
package struct StreamReport: Sendable, Hashable {
    /// The state of the stream.
    package let state: StreamState
    /// Whether it was made now.
    package let wasMade: Bool
    /// The settings that are not as the journal needs them.
    package let differences: [StreamDifference]
}
