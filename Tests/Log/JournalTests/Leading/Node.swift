@testable import Journal

/// One node at a clock that the test sets, with what others say to it.
struct Node {
    static let secret = "5e-c2"

    var machine: Leadership
    private(set) var now: Int64 = 10_000

    init(
        _ name: String = "a", applied: UInt64 = 10, term: UInt64 = 5, schema: Int = 24,
        obstacles: Set<LeadingObstacle> = [], chance: Int64 = 300
    ) {
        machine = Leadership(
            NodeIdentity(name: name, address: "http://\(name)"), schema: schema,
            applied: applied, term: term, obstacles: obstacles, chance: chance, at: now)
    }

    var hasEverything: Bool { machine.place.hasEverything(hearing: machine.leader) }

    mutating func give(_ input: LeadershipInput, after milliseconds: Int64 = 0) -> [LeadershipAction] {
        now += milliseconds
        return machine.take(input, at: now)
    }

    /// Ticks of 100 ms.
    mutating func wait(_ milliseconds: Int64) -> [LeadershipAction] {
        var tasks: [LeadershipAction] = []
        let end = now + milliseconds
        while now < end { tasks += give(.tick, after: min(100, end - now)) }
        return tasks
    }

    static func heartbeat(
        _ node: String, term: UInt64 = 5, leads: Bool = true, applied: UInt64 = 10, schema: Int = 24,
        secret: String = Node.secret, address: String? = nil
    ) -> LeadershipInput {
        .heartbeat(
            NodeHeartbeat(
                node: node, term: term, leads: leads, applied: applied, head: 99, schema: schema, program: "1.4",
                fingerprint: secret, sessions: 3, address: address ?? "http://\(node)", isOurs: secret == Self.secret))
    }

    static func entry(
        _ sequence: UInt64, _ kind: EntryFacts.Kind = .commit(hasMoreParts: false), _ node: String = "b",
        term: UInt64 = 5, crc: UInt32 = 1
    ) -> LeadershipInput {
        .entry(EntryFacts(sequence: sequence, kind: kind, stamp: EntryStamp(node: node, term: term, crc: crc)))
    }

    /// Something at this place that is of nobody in this cluster.
    static func foreign(_ sequence: UInt64) -> LeadershipInput { .entry(EntryFacts(foreignAt: sequence)) }

    static let bytes = EncodedEntry(bytes: [1, 2, 3], crc: 77)

    // MARK: Ways to a state

    /// A node that has read everything and waits.
    static func following(
        applied: UInt64 = 10, term: UInt64 = 5, schema: Int = 24, obstacles: Set<LeadingObstacle> = []
    ) -> Node {
        var node = Node(applied: applied, term: term, schema: schema, obstacles: obstacles)
        _ = node.give(.journal(.reachable))
        return node
    }

    /// A node that has published `lead` of term 6 as number 1, after entry 10.
    static func standing() -> Node {
        var node = following()
        _ = node.wait(1900)
        _ = node.give(.lastSequence(10, first: 1))
        return node
    }

    /// A node that leads term 6 from entry 11 on.
    static func leading() -> Node {
        var node = standing()
        _ = node.give(.acknowledged(number: 1, sequence: 11))
        _ = node.give(.applied(11, schema: 24))
        return node
    }

    /// A node that has published a transaction as number 2, after entry 11.
    static func publishing(_ parts: [EncodedEntry] = [bytes]) -> Node {
        var node = leading()
        _ = node.give(.submit(parts))
        return node
    }
}

extension [LeadershipAction] {
    /// Without heartbeats, whose times have tests of their own.
    var silent: [LeadershipAction] {
        filter {
            if case .heartbeat = $0 { false } else { true }
        }
    }

    var saysThatItLeads: Bool? {
        compactMap { task -> Bool? in
            if case .heartbeat(_, let leads, _) = task { leads } else { nil }
        }.last
    }
}
