package import JSON

/// The settings that the journal's stream must have. Nothing of it may be changed but `replicas`, `ageSecondsMax` and `bytesMax`.
/// - Confinement: any
package struct StreamSettings: Sendable, Hashable {
    /// Copies on different servers: 1, 3 or 5.
    package var replicas = 3
    /// Entries older than this may go.
    package var ageSecondsMax: Int64 = 3 * 86_400
    /// The oldest entries go when the stream is larger than this.
    package var bytesMax: Int64 = 20 << 30
    /// The history of the cluster's databases, kept with the stream when it is made; nil for none.
    package var epoch: String?
    /// The sequence of its first entry; nil for 1. Only for one that is made.
    package var firstSequence: UInt64?

    /// The settings of the design.
    package init() {}

    /// The settings of the design with the copies, the age and the size that an operator gave to a stream.
    package init(chosenFor state: StreamState) {
        let number = { (name: String) in state.configuration[name]?.integerValue ?? 0 }
        replicas = Int(number("num_replicas"))
        ageSecondsMax = number("max_age") / 1_000_000_000
        bytesMax = number("max_bytes")
        epoch = state.epoch
    }

    /// The configuration as JetStream reads and shows it.
    func members(_ options: JournalOptions) -> [(name: String, value: JSONValue)] {
        [
            ("name", .string(options.stream)),
            ("subjects", [.string(options.journalSubject)]),
            ("retention", "limits"),
            ("storage", "file"),
            ("num_replicas", .integer(Int64(replicas))),
            ("max_age", .integer(ageSecondsMax * 1_000_000_000)),
            ("max_bytes", .integer(bytesMax)),
            ("discard", "old"),
            ("deny_delete", true),
            ("duplicate_window", 1_000_000_000),
            ("max_msgs", -1),
            ("max_msgs_per_subject", -1),
            ("max_msg_size", -1),
            ("max_consumers", -1),
        ]
    }

    /// The same with the facts that the stream keeps for its nodes.
    func creation(_ options: JournalOptions) -> [(name: String, value: JSONValue)] {
        var members = members(options)
        if let epoch { members.append(("metadata", [StreamState.epochName: .string(epoch)])) }
        if let firstSequence { members.append(("first_seq", .integer(Int64(clamping: firstSequence)))) }
        return members
    }

    /// Members that the journal's stream must not have: each would change, copy or mix its entries.
    private static let forbidden = [
        "allow_atomic", "allow_msg_counter", "allow_msg_schedules", "allow_msg_ttl", "allow_rollup_hdrs",
        "discard_new_per_subject", "mirror", "no_ack", "persist_mode", "republish", "sealed", "sources",
        "subject_transform",
    ]

    /// How a stream's configuration differs, in the order of the names here.
    package func differences(from found: JSONValue, _ options: JournalOptions) -> [StreamDifference] {
        let wanted = members(options).compactMap { name, value -> StreamDifference? in
            let has = found[name] ?? .null
            return has == value ? nil : StreamDifference(name: name, wanted: value.text, found: has.text)
        }
        let others = Self.forbidden.compactMap { name -> StreamDifference? in
            guard let has = found[name], has != false, !has.isNull else { return nil }
            return StreamDifference(name: name, wanted: "nothing", found: has.text)
        }
        return wanted + others
    }
}

/// One setting of a stream, or of a server, that is not as the journal needs it.
/// - Confinement: any
package struct StreamDifference: Sendable, Hashable, CustomStringConvertible {
    /// The name that NATS gives it.
    package let name: String
    /// The value that the journal needs, as JSON or words.
    package let wanted: String
    /// The value that is there.
    package let found: String

    /// A phrase for logs.
    package var description: String { "\(name) is \(found), and must be \(wanted)" }
}
