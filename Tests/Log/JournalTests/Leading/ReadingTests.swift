import Testing

@testable import Journal

struct ReadingTests {
    @Test func `entries count once and in their order`() {
        var node = Node.following()
        #expect(node.give(Node.entry(11)) == [.apply(11...11)])
        #expect(node.give(Node.entry(11)) == [])
        #expect(node.give(Node.entry(13)) == [])
        #expect(node.give(Node.entry(13), after: 1000) == [.read(from: 12)])
        #expect(node.give(Node.entry(12)) == [.apply(12...12)])
        #expect(node.give(Node.entry(13, .schema)) == [.apply(13...13)])
        #expect(node.give(Node.entry(14, .mark)) == [.apply(14...14)])
    }

    @Test func `a reader that has broken is noticed by the heartbeats of the others`() {
        var node = Node.following()
        for _ in 0..<3 {
            _ = node.give(Node.heartbeat("b", applied: 12))
            #expect(node.wait(1000).silent.last == .read(from: 11))
        }
    }

    @Test func `parts are applied together, when the last one has come`() {
        var node = Node.following()
        #expect(node.give(Node.entry(11, .commit(hasMoreParts: true))) == [])
        #expect(node.give(Node.entry(12, .commit(hasMoreParts: true))) == [])
        #expect(node.give(Node.entry(13)) == [.apply(11...13)])
        #expect(!node.machine.place.isUpToDate)
        _ = node.give(.applied(13, schema: 24))
        #expect(node.machine.place.isUpToDate)
    }

    @Test func `parts whose last one never came are void after a later lead, also for a node that stands there`() {
        var node = Node.following()
        _ = node.give(Node.entry(11))
        _ = node.give(Node.entry(12, .commit(hasMoreParts: true)))
        #expect(!node.machine.place.isUpToDate)
        _ = node.give(.applied(11, schema: 24))
        #expect(node.machine.place.isUpToDate)
        var other = node
        #expect(node.give(Node.entry(13, .lead, "c", term: 6)) == [.apply(13...13)])
        #expect(node.give(Node.entry(14, .commit(hasMoreParts: false), "c", term: 6)) == [.apply(14...14)])
        _ = other.wait(1900)
        #expect(other.give(.lastSequence(12, first: 1)) == [.publish(number: 1, .lead(term: 6), expecting: 12)])
        _ = other.give(.acknowledged(number: 1, sequence: 13))
        _ = other.give(.applied(13, schema: 24))
        #expect(other.give(.submit([Node.bytes])) == [.publish(number: 2, .entry([1, 2, 3]), expecting: 13)])
    }

    @Test(arguments: [
        Node.entry(11, term: 4), Node.entry(11, term: 6), Node.entry(11, .lead, "b", term: 5),
        Node.entry(11, .mark, "b", term: 7),
    ])
    func `an entry of a term that did not begin there stops the node`(_ entry: LeadershipInput) {
        guard case .entry(let facts) = entry else { return }
        var node = Node.following()
        #expect(node.give(entry) == [.stop(.outOfTurn(facts, term: 5))])
    }

    @Test func `a term is of one node, and parts are of commits`() {
        var node = Node.following()
        _ = node.give(Node.entry(11))
        var parts = node
        #expect(node.give(Node.entry(12, .commit(hasMoreParts: false), "c")).silent.count == 1)
        #expect(node.machine.role == .stopped)
        _ = parts.give(Node.entry(12, .commit(hasMoreParts: true)))
        _ = parts.give(Node.entry(13, .schema))
        #expect(parts.machine.role == .stopped)
    }

    @Test func `a node that knows more than the journal stops when every answer says so for 15 s`() {
        var node = Node.following()
        #expect(node.give(.lastSequence(9, first: 1)) == [])
        for _ in 0..<29 {
            _ = node.wait(500)
            #expect(node.give(.lastSequence(9, first: 1)) == [])
        }
        _ = node.wait(500)
        #expect(node.give(.lastSequence(9, first: 1)) == [.stop(.knowsMore(read: 10, last: 9))])
        #expect(node.wait(250) == [.heartbeat(term: 5, leads: false, applied: 10)])
    }

    @Test func `an old answer does not stop it: one that is not, a pause or a cut begins the 15 s again`() {
        for fresh in [.lastSequence(10, first: 1), .journal(.unreachable), .tick] as [LeadershipInput] {
            var node = Node.following(obstacles: [.never])
            _ = node.give(.lastSequence(9, first: 1))
            _ = node.wait(14_000)
            _ = node.give(fresh, after: fresh == .tick ? 2000 : 0)
            #expect(node.give(.lastSequence(9, first: 1), after: 900) == [])
            _ = node.give(.journal(.reachable))
            _ = node.wait(14_000)
            #expect(node.give(.lastSequence(9, first: 1)) == [])
            _ = node.wait(1000)
            #expect(node.give(.lastSequence(9, first: 1)) == [.stop(.knowsMore(read: 10, last: 9))])
        }
    }

    @Test func `a leader that knows more than the journal rolls back after 5 s and stops after 15`() {
        var node = Node.publishing()
        var ends: [LeadershipAction] = []
        for _ in 0..<200 {
            for task in node.give(.tick, after: 100) {
                switch task {
                case .publish(let number, _, _): _ = node.give(.refused(number: number, last: 10))
                case .askLastSequence: ends += node.give(.lastSequence(10, first: 1))
                case .rollBack, .follow: ends.append(task)
                default: break
                }
            }
            if node.machine.role == .leading { _ = node.give(.refused(number: 2, last: 10)) }
        }
        #expect(ends == [.rollBack, .follow(.noAnswer), .stop(.knowsMore(read: 11, last: 10))])
    }

    @Test func `a stream that begins after the next entry: the node must join again`() {
        var node = Node.following()
        #expect(node.give(.lastSequence(20, first: 12)) == [.stop(.tooFarBehind(next: 11, first: 12))])
        var next = Node.following()
        #expect(next.give(.lastSequence(20, first: 11)) != [.stop(.tooFarBehind(next: 11, first: 11))])
        var empty = Node.following()
        #expect(empty.give(.lastSequence(10, first: 11)) == [])
    }

    @Test func `a node with another secret ends nothing, and keeps this one from standing`() {
        var node = Node.following()
        #expect(node.give(Node.heartbeat("b", secret: "other")) == [])
        #expect(node.give(Node.heartbeat("a", secret: "other", address: "http://0")) == [])
        for _ in 0..<40 {
            _ = node.give(Node.heartbeat("b", term: 9, secret: "other"), after: 100)
            #expect(node.give(.lastSequence(10, first: 1)).silent == [])
        }
        #expect(node.machine.role == .following && node.machine.leader == nil)
        // It is silent, and so it is gone.
        _ = node.wait(7000)
        #expect(node.give(.lastSequence(10, first: 1)) == [.publish(number: 1, .lead(term: 6), expecting: 10)])
    }

    @Test func `when two nodes have one name, one of them goes on`() {
        var node = Node.following()
        #expect(node.give(Node.heartbeat("a", leads: false)) == [])
        #expect(node.give(Node.heartbeat("a", leads: false, address: "http://b")) == [])
        var second = node
        #expect(
            node.give(Node.heartbeat("a", address: "http://b")) == [.stop(.nameTaken(node: "a", address: "http://b"))])
        #expect(
            second.give(Node.heartbeat("a", leads: false, address: "http://0"))
                == [.stop(.nameTaken(node: "a", address: "http://0"))])
        var leader = Node.leading()
        #expect(leader.give(Node.heartbeat("a", address: "http://0")) == [])
    }

    @Test func `every node speaks every 250 ms`() {
        for var node in [Node.following(), .standing(), .leading(), .publishing()] {
            let leads = node.machine.role == .leading
            _ = node.wait(300)
            let beats = (0..<100).flatMap { _ in node.give(.tick, after: 25) }.count { task in
                if case .heartbeat(_, leads, _) = task { true } else { false }
            }
            #expect(beats == 10)
        }
    }

    @Test func `every reason is a sentence that says what to do`() {
        let facts = EntryFacts(sequence: 12, kind: .mark, stamp: EntryStamp(node: "b", term: 7, crc: 1))
        let stops: [LeadershipStop] = [
            .knowsMore(read: 12, last: 10), .tooFarBehind(next: 11, first: 20), .outOfTurn(facts, term: 5),
            .otherPlace(expected: 12, sequence: 13), .otherPrevious(facts, here: 10),
            .nameTaken(node: "a", address: "x"),
            .unreadable(sequence: 12, .version(2)), .diverged("a statement changed 2 rows"),
            .twoAuthors(term: 7, known: "a", other: "b"),
        ]
        let ends: [LeadershipEnd] =
            [.fenced(by: facts.stamp), .deposed(by: "b", term: 7), .noAnswer, .cutOff]
            + LeadingObstacle.allCases.map { .hindered($0) }
        let waits: [LeadershipWait] = [
            .reading(applied: 10, last: 12), .olderSchema(node: "b", schema: 23),
            .journalLacks(applied: 12, node: "b", last: 10), .otherSecret(node: "b"),
        ]
        let sentences = stops.map(\.sentence) + ends.map(\.sentence) + waits.map(\.sentence)
        #expect(Set(sentences).count == 25)
        #expect(sentences[0].contains("reseed") && sentences[5].contains("--node"))
    }
}
