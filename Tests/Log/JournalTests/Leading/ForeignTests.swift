import Testing

@testable import Journal

/// Messages in the journal from somebody without the secret of the cluster.
struct ForeignTests {
    @Test func `a node that follows passes over it, and reads on`() {
        var node = Node.following()
        #expect(node.give(Node.foreign(11)) == [])
        #expect(node.machine.place.read == 11 && node.machine.place.newest == 10 && node.machine.applied == 10)
        #expect(node.give(Node.foreign(11)) == [], "it comes again")
        #expect(node.give(Node.entry(12)) == [.apply(12...12)])
        _ = node.give(.applied(12, schema: 24))
        #expect(node.machine.place.newest == 12)
    }

    @Test func `a foreign message is no sign of a leader, and a node that has the rest stands after it`() {
        var node = Node.following()
        _ = node.give(Node.foreign(11))
        #expect(!node.hasEverything, "nobody with the secret says that it is foreign")
        _ = node.wait(1900)
        #expect(node.give(.lastSequence(11, first: 1)) == [.publish(number: 1, .lead(term: 6), expecting: 11)])
        #expect(node.give(.acknowledged(number: 1, sequence: 12)).contains(.lead(term: 6, sequence: 12)))
        _ = node.give(.applied(12, schema: 24))
        #expect(node.hasEverything)
    }

    @Test func `a follower has everything once a leader is heard`() {
        var node = Node.following()
        _ = node.give(Node.foreign(11))
        _ = node.give(Node.heartbeat("b"))
        #expect(node.hasEverything)
        _ = node.give(Node.entry(12))
        #expect(!node.hasEverything)
    }

    @Test func `a node that leads goes on when it is idle`() {
        var node = Node.leading()
        #expect(node.give(Node.foreign(12)) == [])
        #expect(node.machine.role == .leading)
        #expect(node.give(.submit([Node.bytes])) == [.publish(number: 2, .entry([1, 2, 3]), expecting: 12)])
        #expect(node.machine.place.newest == 11)
    }

    @Test func `an entry whose place was taken goes to the next one, as often as needed, for five seconds in all`() {
        var node = Node.publishing()
        #expect(node.give(.refused(number: 2, last: 12)) == [.read(from: 12)])
        #expect(node.give(Node.foreign(12)) == [.publish(number: 3, .entry([1, 2, 3]), expecting: 12)])
        #expect(node.give(.acknowledged(number: 2, sequence: 12)) == [], "the answer to the first try")
        #expect(node.give(.refused(number: 3, last: 13)) == [.read(from: 13)])
        #expect(node.give(Node.foreign(13)) == [.publish(number: 4, .entry([1, 2, 3]), expecting: 13)])
        var other = node
        #expect(node.give(.acknowledged(number: 4, sequence: 14)) == [.commit(sequence: 14)])
        let ends = other.wait(5200).filter { $0 == .rollBack || $0 == .follow(.noAnswer) }
        #expect(ends == [.rollBack, .follow(.noAnswer)])
    }

    @Test func `the parts of an entry may stand apart`() {
        var leader = Node.publishing([EncodedEntry(bytes: [1], crc: 1), EncodedEntry(bytes: [2], crc: 2)])
        #expect(
            leader.give(.acknowledged(number: 2, sequence: 12)) == [.publish(number: 3, .entry([2]), expecting: 12)])
        _ = leader.give(.refused(number: 3, last: 13))
        #expect(leader.give(Node.foreign(13)) == [.publish(number: 4, .entry([2]), expecting: 13)])
        #expect(leader.give(.acknowledged(number: 4, sequence: 14)) == [.commit(sequence: 14)])

        var follower = Node.following()
        #expect(follower.give(Node.entry(11, .commit(hasMoreParts: true))) == [])
        #expect(follower.give(Node.foreign(12)) == [])
        #expect(follower.give(Node.entry(13)) == [.apply(11...13)])
    }

    @Test func `a node that stands looks round before it tries again`() {
        var node = Node.standing()
        _ = node.give(.refused(number: 1, last: 11))
        #expect(node.give(Node.foreign(11)) == [])
        #expect(node.machine.role == .following)
        _ = node.wait(1000)
        #expect(node.give(.lastSequence(11, first: 1)) == [])
        _ = node.wait(1000)
        #expect(node.give(.lastSequence(11, first: 1)) == [.publish(number: 2, .lead(term: 6), expecting: 11)])
    }

    @Test func `a leader with an obstacle gives up an entry whose place was taken`() {
        var node = Node.publishing()
        _ = node.give(.refused(number: 2, last: 12))
        _ = node.give(.hindered(.diskFull))
        #expect(node.give(Node.foreign(12)).silent == [.rollBack, .follow(.hindered(.diskFull))])
    }

    @Test func `nodes that do not agree which entries count find out with the next one`() {
        let facts = { (sequence: UInt64, previous: UInt64) in
            EntryFacts(
                sequence: sequence, kind: .commit(hasMoreParts: false), stamp: EntryStamp(node: "b", term: 5, crc: 1),
                previous: previous)
        }
        var node = Node.following()
        _ = node.give(Node.foreign(11))
        var other = node
        #expect(node.give(.entry(facts(12, 10))) == [.apply(12...12)])
        #expect(other.give(.entry(facts(12, 11))) == [.stop(.otherPrevious(facts(12, 11), here: 10))])
        #expect(other.machine.role == .stopped)
        #expect(LeadershipStop.otherPrevious(facts(12, 11), here: 10).isMendedByJoining)
    }

    @Test func `strangers are counted up to a bound`() {
        var node = Node.following()
        for number in 0..<5000 { _ = node.give(Node.heartbeat("x\(number)", leads: false, secret: "other")) }
        for name in ["b", "c"] { _ = node.give(Node.heartbeat(name, leads: false)) }
        _ = node.wait(1900)
        _ = node.give(Node.heartbeat("y", leads: false, secret: "other"))
        #expect(node.give(.lastSequence(10, first: 1)) == [])
        #expect(node.machine.waits == .otherSecret(node: "x0"))
    }
}
