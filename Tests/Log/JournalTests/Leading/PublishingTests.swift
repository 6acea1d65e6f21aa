import Testing

@testable import Journal

struct PublishingTests {
    private static let bytes = Node.bytes
    private static let publish = LeadershipAction.publish(number: 2, .entry(bytes.bytes), expecting: 11)

    private static func own(_ sequence: UInt64, crc: UInt32 = bytes.crc, hasMoreParts: Bool = false) -> LeadershipInput
    {
        Node.entry(sequence, .commit(hasMoreParts: hasMoreParts), "a", term: 6, crc: crc)
    }

    @Test func `an entry expects the last one that was applied, and is committed when the journal has it`() {
        var node = Node.leading()
        #expect(node.give(.submit([Self.bytes])) == [Self.publish])
        #expect(node.give(.acknowledged(number: 2, sequence: 12)) == [.commit(sequence: 12)])
        #expect(node.give(Self.own(12)) == [])
        _ = node.give(.applied(12, schema: 24))
        #expect(
            node.give(.submit([Self.bytes])) == [.publish(number: 3, .entry(Self.bytes.bytes), expecting: 12)])
    }

    @Test func `a node that does not lead, or has not applied everything, writes nothing`() {
        var following = Node.following()
        #expect(following.give(.submit([Self.bytes])) == [.rollBack])
        var standing = Node.standing()
        #expect(standing.give(.submit([Self.bytes])) == [.rollBack])
        var early = Node.standing()
        _ = early.give(.acknowledged(number: 1, sequence: 11))
        #expect(early.give(.submit([Self.bytes])) == [.rollBack])
        var empty = Node.leading()
        #expect(empty.give(.submit([])) == [.rollBack])
    }

    @Test func `refused, and its own entry is there: it is committed`() {
        var node = Node.publishing()
        #expect(node.give(.refused(number: 2, last: 12)) == [.read(from: 12)])
        #expect(node.give(Self.own(12)) == [.commit(sequence: 12)])
        #expect(node.machine.role == .leading)
    }

    @Test(arguments: [
        Node.entry(12, .lead, "b", term: 7), Node.entry(12, .lead, "a", term: 7),
    ])
    func `refused, and another entry is there: fenced`(_ entry: LeadershipInput) {
        guard case .entry(let facts) = entry else { return }
        var node = Node.publishing()
        _ = node.give(.refused(number: 2, last: 12))
        #expect(
            node.give(entry) == [
                .rollBack, .follow(.fenced(by: facts.stamp)), .heartbeat(term: 6, leads: false, applied: 11),
                .apply(12...12),
            ])
        #expect(node.machine.term == 7)
    }

    @Test func `an entry of the same node and term with other bytes is not its own`() {
        var node = Node.publishing()
        _ = node.give(.refused(number: 2, last: 12))
        let tasks = node.give(Self.own(12, crc: 78))
        #expect(tasks.first == .rollBack && tasks.last == .apply(12...12))
    }

    @Test func `without an answer the same bytes go out with the same expectation for 5 s, then it rolls back`() {
        var node = Node.publishing()
        var tries: [Int64] = []
        var end: [LeadershipAction] = []
        _ = node.give(.noAnswer(number: 2))
        for time in stride(from: 50, through: 6000, by: 50) as StrideThrough<Int64> {
            let tasks = node.give(.tick, after: 50)
            if tasks.contains(Self.publish) {
                tries.append(time)
                _ = node.give(.noAnswer(number: 2))
            }
            if tasks.contains(.rollBack) { end = tasks + [.askLastSequence, .read(from: UInt64(time))] }
        }
        #expect(tries == Array(stride(from: 250, through: 4750, by: 250)))
        #expect(
            end == [
                .rollBack, .follow(.noAnswer), .heartbeat(term: 6, leads: false, applied: 11), .askLastSequence,
                .read(from: 5000),
            ])
        #expect(node.give(.acknowledged(number: 2, sequence: 12)) == [])
        #expect(node.give(Self.own(12)) == [.apply(12...12)])
    }

    @Test func `a refusal without a number is settled by the question for the last sequence`() {
        var node = Node.publishing()
        #expect(node.give(.refused(number: 2, last: nil)) == [.read(from: 12)])
        #expect(node.wait(300).silent == [.askLastSequence])
        #expect(node.give(.lastSequence(11, first: 1)) == [Self.publish])
    }

    @Test func `an answer to an earlier try counts`() {
        var node = Node.publishing()
        _ = node.give(.noAnswer(number: 2))
        #expect(node.wait(300).silent == [Self.publish])
        _ = node.give(.refused(number: 2, last: 12))
        #expect(node.give(.acknowledged(number: 2, sequence: 12)) == [.commit(sequence: 12)])
    }

    @Test func `a refusal for an entry that vanished with a leader of the journal: published again`() {
        var node = Node.publishing()
        _ = node.give(.refused(number: 2, last: 12))
        #expect(node.wait(300).silent == [.askLastSequence])
        #expect(node.give(.lastSequence(11, first: 1)) == [Self.publish])
        _ = node.give(.refused(number: 2, last: 12))
        #expect(node.give(.lastSequence(12, first: 1)) == [])
        _ = node.wait(1000)
        #expect(node.give(.lastSequence(12, first: 1)) == [.read(from: 12)])
    }

    @Test func `a leader that hears a newer one follows; with something under way the answer decides`() {
        var idle = Node.leading()
        let tasks = idle.give(Node.heartbeat("b", term: 7, applied: 12))
        #expect(tasks.silent == [.follow(.deposed(by: "b", term: 7))] && tasks.saysThatItLeads == false)
        var busy = Node.publishing()
        #expect(busy.give(Node.heartbeat("b", term: 7, applied: 12)) == [])
        #expect(busy.give(.acknowledged(number: 2, sequence: 12)) == [.commit(sequence: 12)])
        var older = Node.leading()
        #expect(older.give(Node.heartbeat("b", term: 5)) == [])
        #expect(older.machine.role == .leading)
    }

    @Test func `a leader that reads the entry of a newer one follows`() {
        var node = Node.leading()
        #expect(
            node.give(Node.entry(12, .lead, "b", term: 7)).silent == [
                .follow(.deposed(by: "b", term: 7)), .apply(12...12),
            ])
    }

    @Test func `an idle leader without the journal leads for 5 s more`() {
        var node = Node.leading()
        _ = node.give(.journal(.unreachable))
        #expect(node.wait(4900).silent == [])
        #expect(node.wait(100).silent == [.follow(.cutOff)])
        var kept = Node.leading()
        _ = kept.give(.journal(.unreachable))
        _ = kept.wait(4000)
        _ = kept.give(.journal(.withoutLeader))
        #expect(kept.wait(60_000).silent == [])
        #expect(kept.machine.role == .leading)
    }

    @Test(arguments: [JournalLinkState.unreachable, .withoutLeader])
    func `an entry that was not answered is sent at once when the journal is there again`(_ state: JournalLinkState) {
        var node = Node.publishing()
        _ = node.give(.journal(state))
        _ = node.wait(900)
        var answered = node
        var refused = node
        #expect(node.give(.journal(.reachable)).last == Self.publish)
        #expect(node.give(.journal(.reachable)) == [])
        _ = answered.give(.acknowledged(number: 2, sequence: 12))
        #expect(answered.give(.journal(.reachable)).contains(Self.publish) == false)
        _ = refused.give(.refused(number: 2, last: 12))
        #expect(refused.give(.journal(.reachable)).contains(Self.publish) == false)
    }

    @Test func `parts go out one after the other, and the last one commits`() {
        let parts = [1, 2, 3].map { EncodedEntry(bytes: [UInt8($0)], crc: UInt32($0)) }
        var node = Node.publishing(parts)
        #expect(
            node.give(.acknowledged(number: 2, sequence: 12)) == [.publish(number: 3, .entry([2]), expecting: 12)])
        _ = node.give(.refused(number: 3, last: 13))
        #expect(
            node.give(Self.own(13, crc: 2, hasMoreParts: true)) == [.publish(number: 4, .entry([3]), expecting: 13)])
        #expect(node.give(.acknowledged(number: 4, sequence: 14)) == [.commit(sequence: 14)])
        _ = node.give(.applied(14, schema: 24))
        #expect(node.give(.submit([Self.bytes])) == [.publish(number: 5, .entry([1, 2, 3]), expecting: 14)])
    }

    @Test func `a journal that stores at another place than expected is not to be trusted`() {
        var node = Node.publishing()
        #expect(
            node.give(.acknowledged(number: 2, sequence: 13))
                == [.rollBack, .stop(.otherPlace(expected: 12, sequence: 13))])
        #expect(node.machine.role == .stopped)
        #expect(node.give(.submit([Self.bytes])) == [.rollBack])
        #expect(node.wait(5000) == [])
    }
}

struct ObstacleTests {
    @Test(arguments: LeadingObstacle.allCases)
    func `a leader that must not lead says so at once`(_ obstacle: LeadingObstacle) {
        var node = Node.leading()
        let tasks = node.give(.hindered(obstacle))
        #expect(tasks.silent == [.follow(.hindered(obstacle))] && tasks.saysThatItLeads == false)
        #expect(node.give(.submit([Node.bytes])) == [.rollBack])
    }

    @Test func `while a sent entry waits for its answer, nothing more is published`() {
        var node = Node.publishing()
        #expect(node.give(.hindered(.stopping)) == [])
        var refused = node
        var silent = node
        let tasks = node.give(.acknowledged(number: 2, sequence: 12))
        #expect(tasks.silent == [.commit(sequence: 12), .follow(.hindered(.stopping))])
        #expect(tasks.saysThatItLeads == false)
        _ = refused.give(.refused(number: 2, last: 12))
        #expect(
            refused.give(Node.entry(12, "a", term: 6)).silent == [.commit(sequence: 12), .follow(.hindered(.stopping))])
        #expect(silent.give(.noAnswer(number: 2)).silent == [.rollBack, .follow(.hindered(.stopping))])
    }

    @Test func `an entry that is to be published again is not, and neither are the other parts`() {
        var again = Node.publishing()
        _ = again.give(.noAnswer(number: 2))
        #expect(again.give(.hindered(.diskFull)).silent == [.rollBack, .follow(.hindered(.diskFull))])
        var parts = Node.publishing([Node.bytes, Node.bytes])
        _ = parts.give(.hindered(.diskFull))
        #expect(
            parts.give(.acknowledged(number: 2, sequence: 12)).silent == [
                .rollBack, .follow(.hindered(.diskFull)),
            ])
        var vanished = Node.publishing()
        _ = vanished.give(.refused(number: 2, last: 12))
        _ = vanished.give(.hindered(.clock))
        #expect(vanished.give(.lastSequence(11, first: 1)).silent == [.rollBack, .follow(.hindered(.clock))])
    }

    @Test func `a node that stepped down by order leaves the lead to others for 5 s`() {
        var node = Node.leading()
        #expect(node.give(.stepDown).silent == [.follow(.hindered(.order))])
        #expect(node.wait(4900).silent == [])
        #expect(node.wait(200).silent == [.askLastSequence])
        #expect(node.give(.lastSequence(11, first: 1)) == [.publish(number: 2, .lead(term: 7), expecting: 11)])
    }
}

extension Node {
    /// The entry that ``publishing(_:)`` publishes.
    static func entry(_ sequence: UInt64, _ node: String, term: UInt64) -> LeadershipInput {
        entry(sequence, .commit(hasMoreParts: false), node, term: term, crc: bytes.crc)
    }
}
