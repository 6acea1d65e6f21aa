import Testing

@testable import Journal

struct StandingTests {
    private static let lead = LeadershipAction.publish(number: 1, .lead(term: 6), expecting: 10)

    @Test func `a node that reaches the journal reads on and asks how far it goes`() {
        var node = Node()
        #expect(node.wait(4000).silent == [])
        #expect(node.give(.journal(.reachable)).silent == [.read(from: 11), .askLastSequence])
    }

    @Test(arguments: [0, 300, 500] as [Int64])
    func `after 1.5 s and its chance without a leader it asks, and with everything applied it stands`(_ chance: Int64) {
        var node = Node(chance: chance)
        _ = node.give(.journal(.reachable))
        #expect(node.wait(1499 + chance).silent == [])
        #expect(node.give(.lastSequence(10, first: 1)) == [])
        #expect(node.wait(1).silent == [.askLastSequence])
        #expect(node.give(.lastSequence(10, first: 1)) == [Self.lead])
        #expect(node.machine.role == .standing)
    }

    @Test func `chance is at most half a second`() {
        var node = Node(chance: 90_000)
        _ = node.give(.journal(.reachable))
        #expect(node.wait(2000).silent == [.askLastSequence])
    }

    @Test func `each heartbeat of a leader begins the wait again`() {
        var node = Node.following()
        for _ in 0..<20 {
            #expect(node.wait(1000).silent == [])
            _ = node.give(Node.heartbeat("b"))
            #expect(node.machine.leader == "b")
        }
        #expect(node.wait(1700).silent == [])
        #expect(node.machine.leader == nil)
        #expect(node.wait(200).silent == [.askLastSequence])
    }

    @Test func `a leader of an older term is no leader`() {
        var node = Node.following()
        _ = node.wait(1700)
        _ = node.give(Node.heartbeat("b", term: 4))
        #expect(node.machine.leader == nil)
        #expect(node.wait(100).silent == [.askLastSequence])
    }

    @Test func `an entry of another node is a sign of life, too`() {
        var node = Node.following()
        _ = node.wait(1700)
        #expect(node.give(Node.entry(11)) == [.apply(11...11)])
        _ = node.give(.applied(11, schema: 24))
        #expect(node.wait(1700).silent == [])
        #expect(node.wait(200).silent == [.askLastSequence])
    }

    @Test func `while the journal has no leader it asks every 250 ms`() {
        var node = Node.following()
        _ = node.give(.journal(.withoutLeader))
        _ = node.wait(1800)
        let asked = (0..<80).map { _ in node.give(.tick, after: 50).contains(.askLastSequence) }
        #expect(asked.count { $0 } == 16)
        #expect(node.give(.lastSequence(10, first: 1)) == [Self.lead])
        var tries: [Int64] = []
        _ = node.give(.noAnswer(number: 1))
        for tick in 1...80 as ClosedRange<Int64> where node.give(.tick, after: 50).contains(Self.lead) {
            tries.append(tick * 50)
            _ = node.give(.noAnswer(number: 1))
        }
        #expect(tries == Array(stride(from: 250, through: 4000, by: 250)))
    }

    @Test func `a node reads on when the stream goes further, and stands only when it has applied everything`() {
        var node = Node.following()
        _ = node.wait(1900)
        #expect(node.give(.lastSequence(11, first: 1)) == [.read(from: 11)])
        #expect(node.give(.lastSequence(11, first: 1)) == [])
        #expect(node.give(Node.entry(11)) == [.apply(11...11)])
        #expect(node.wait(3000).silent == [])
        #expect(node.give(.lastSequence(11, first: 1)) == [])
        _ = node.give(.applied(11, schema: 24))
        #expect(node.wait(100).silent == [.askLastSequence])
        #expect(node.give(.lastSequence(11, first: 1)) == [.publish(number: 1, .lead(term: 6), expecting: 11)])
    }

    @Test func `a node that does not stand says why`() {
        func reason(_ others: [LeadershipInput], last: UInt64 = 10) -> LeadershipWait? {
            var node = Node.following()
            _ = node.wait(1500)
            for other in others { _ = node.give(other) }
            _ = node.wait(400)
            _ = node.give(.lastSequence(last, first: 1))
            #expect(node.machine.role == .following)
            let reason = node.machine.waits
            _ = node.give(Node.heartbeat("d"))
            #expect(node.machine.waits == nil)
            return reason
        }
        let other = ["b", "c"].map { Node.heartbeat($0, leads: false, applied: 99, schema: 1, secret: "other") }
        #expect(reason([], last: 12) == .reading(applied: 10, last: 12))
        #expect(reason(other) == .otherSecret(node: "b"))
        #expect(reason([Node.heartbeat("b", secret: "other")]) == .otherSecret(node: "b"), "it leads")
        let one = Node.heartbeat("b", leads: false, secret: "other")
        #expect(reason([one]) == .otherSecret(node: "b"), "as many as have this secret")
        let older = Node.heartbeat("b", leads: false, schema: 23)
        #expect(reason([older, Node.heartbeat("c", leads: false)]) == .olderSchema(node: "b", schema: 23))
        let further = Node.heartbeat("b", leads: false, applied: 12)
        #expect(reason([further]) == .journalLacks(applied: 12, node: "b", last: 10))
        var standing = Node.standing()
        #expect(standing.machine.waits == nil)
        _ = standing.give(Node.entry(11))
        #expect(standing.machine.waits == nil)
    }

    @Test func `a node with entries of a history that has ended keeps no other one from standing`() {
        var node = Node.following()
        _ = node.wait(1700)
        // A leader of term 5 has begun before entry 12, so the journal has no such entry of term 4.
        _ = node.give(Node.heartbeat("b", term: 4, leads: false, applied: 12))
        _ = node.wait(200)
        #expect(node.give(.lastSequence(10, first: 1)) == [Self.lead])
    }

    @Test func `a node with an older schema keeps newer ones from standing, while it is heard`() {
        var node = Node.following(schema: 25)
        _ = node.wait(1700)
        _ = node.give(Node.heartbeat("b", leads: false, schema: 24))
        _ = node.wait(200)
        #expect(node.give(.lastSequence(10, first: 1)) == [])
        _ = node.wait(5000)
        #expect(node.give(.lastSequence(10, first: 1)) == [Self.lead])
        var older = Node.following()
        _ = older.give(Node.heartbeat("b", leads: false, schema: 25))
        _ = older.wait(1900)
        #expect(older.give(.lastSequence(10, first: 1)) == [Self.lead])
    }

    @Test func `a node stands when fewer nodes have another secret than have its own`() {
        var node = Node.following()
        _ = node.wait(1800)
        _ = node.give(Node.heartbeat("b", leads: false, secret: "other"))
        var outvoted = node
        #expect(outvoted.give(.lastSequence(10, first: 1)) == [], "one has its secret, and one another")
        _ = node.give(Node.heartbeat("c", leads: false))
        #expect(node.give(.lastSequence(10, first: 1)) == [Self.lead])
    }

    @Test func `no node leads while another one has applied what the journal does not have, and that one may be gone`()
    {
        var node = Node.following()
        _ = node.give(Node.heartbeat("b", leads: false, applied: 11))
        _ = node.wait(60_000)
        #expect(node.give(.lastSequence(10, first: 1)).silent == [])
        #expect(node.machine.role == .following)
    }

    @Test func `when the leader says that it leads no more, the next one stands at once`() {
        var node = Node.following()
        _ = node.give(Node.entry(11, .lead, "b", term: 6))
        _ = node.give(.applied(11, schema: 24))
        _ = node.give(Node.heartbeat("b", term: 6, applied: 11), after: 400)
        #expect(node.give(Node.heartbeat("b", term: 5, leads: false, applied: 11), after: 100).silent == [])
        #expect(node.give(Node.heartbeat("c", term: 6, leads: false, applied: 11), after: 100).silent == [])
        #expect(
            node.give(Node.heartbeat("b", term: 6, leads: false, applied: 11), after: 100).silent == [.askLastSequence])
        #expect(node.give(.lastSequence(11, first: 1)) == [.publish(number: 1, .lead(term: 7), expecting: 11)])
    }

    @Test func `entries of a leader that has left, which come after its heartbeat, hold up nothing`() {
        var node = Node.following()
        _ = node.give(Node.entry(11, .lead, "b", term: 6))
        _ = node.give(.applied(11, schema: 24))
        _ = node.give(Node.heartbeat("b", term: 6, leads: false, applied: 12), after: 300)
        _ = node.give(Node.entry(12, .commit(hasMoreParts: false), "b", term: 6))
        _ = node.give(.applied(12, schema: 24))
        #expect(node.wait(300).silent == [.askLastSequence])
        #expect(node.give(.lastSequence(12, first: 1)) == [.publish(number: 1, .lead(term: 7), expecting: 12)])
        var next = node
        _ = next.give(Node.entry(13, .lead, "b", term: 7))
        _ = next.give(.applied(13, schema: 24))
        #expect(next.wait(1500).silent == [])
    }

    @Test func `a node that could not hear, or stood still, listens first`() {
        var node = Node.following()
        _ = node.give(.journal(.unreachable))
        _ = node.wait(9000)
        #expect(node.give(.journal(.reachable)).silent == [.read(from: 11), .askLastSequence])
        #expect(node.give(.lastSequence(10, first: 1)) == [])
        #expect(node.wait(1700).silent == [])
        #expect(node.give(.tick, after: 1001).silent == [])
        #expect(node.wait(1700).silent == [])
        #expect(node.wait(100).silent == [.askLastSequence])
    }

    @Test(arguments: LeadingObstacle.allCases)
    func `a node with an obstacle never stands, and gives up when one arises`(_ obstacle: LeadingObstacle) {
        var node = Node.following(obstacles: [obstacle])
        guard obstacle != .order else { return }
        #expect(node.wait(60_000).silent == [])
        #expect(node.give(.lastSequence(10, first: 1)) == [])
        _ = node.give(.cleared(obstacle))
        #expect(node.wait(100).silent == [.askLastSequence])
        #expect(node.give(.lastSequence(10, first: 1)) == [Self.lead])
        _ = node.give(.hindered(obstacle))
        #expect(node.machine.role == .following)
        #expect(node.give(.acknowledged(number: 1, sequence: 11)) == [])
    }

    @Test func `acknowledged, it leads, and says so at once`() {
        var node = Node.standing()
        #expect(
            node.give(.acknowledged(number: 1, sequence: 11))
                == [.lead(term: 6, sequence: 11), .heartbeat(term: 6, leads: true, applied: 10)])
        #expect(node.machine.role == .leading && node.machine.term == 6 && node.machine.leader == "a")
        #expect(node.give(Node.entry(11, .lead, "a", term: 6)) == [])
    }

    @Test func `refused, it reads the entry at that place: another node's makes it follow, its own makes it lead`() {
        var node = Node.standing()
        #expect(node.give(.refused(number: 1, last: 11)) == [.read(from: 11)])
        var own = node
        #expect(node.give(Node.entry(11, .lead, "b", term: 6)) == [.apply(11...11)])
        #expect(node.machine.role == .following)
        #expect(
            own.give(Node.entry(11, .lead, "a", term: 6)) == [
                .lead(term: 6, sequence: 11), .heartbeat(term: 6, leads: true, applied: 10),
            ])
    }

    @Test func `an entry that comes before the answer decides as well`() {
        var node = Node.standing()
        #expect(node.give(Node.entry(11)) == [.apply(11...11)])
        #expect(node.machine.role == .following)
        #expect(node.give(.refused(number: 1, last: 11)) == [])
        var own = Node.standing()
        #expect(own.give(Node.entry(11, .lead, "a", term: 6)).first == .lead(term: 6, sequence: 11))
        #expect(own.give(.acknowledged(number: 1, sequence: 11)) == [])
    }
}
