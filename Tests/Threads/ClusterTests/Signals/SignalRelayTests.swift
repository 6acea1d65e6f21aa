import EventLoop
import Model
import TestSupport
import Testing
import ThreadMessages
@testable import Cluster

/// Messages that nobody keeps, from one relay to the next.
struct SignalRelayTests {
    private let alice = NodeSignalWireTests.alice

    private func person(_ number: Int64) throws -> Person { try #require(NodeSignalWireTests.person(number)) }

    @Test func `a user of another node is online until the last session there ends`() throws {
        let net = try RelayNet(["a", "b"])
        defer { net.close() }
        let bob = try person(3)
        net["b"].take(.arrived(bob))
        net["b"].take(.arrived(bob))
        net.run(milliseconds: 200)
        #expect(net["a"].isOnline(bob))
        #expect(net["a"].sessionsElsewhere(of: bob) == 2)
        net["b"].take(.left(bob))
        net.run(milliseconds: 200)
        #expect(net["a"].isOnline(bob) && net["a"].sessionsElsewhere(of: bob) == 1)
        net["b"].take(.left(bob))
        net.run(milliseconds: 200)
        #expect(!net["a"].isOnline(bob))
        #expect(net["a"].sessionsElsewhere(of: bob) == 0)
        #expect(net["a"].seen.map(\.isOnline) == [true, false])
        #expect(!net["b"].isOnline(bob), "a node does not hear itself")
    }

    @Test func `lost changes are mended by the next list`() throws {
        let net = try RelayNet(["a", "b"])
        defer { net.close() }
        let people = try (2...50).map { try person($0) }
        for person in people { net["b"].take(.arrived(person)) }
        net.run(milliseconds: 500)
        #expect(people.allSatisfy(net["a"].isOnline))
        net.isLost = { _, to in to == "a" }
        for person in people[..<20] { net["b"].take(.left(person)) }
        let late = try person(900)
        net["b"].take(.arrived(late))
        net.run(milliseconds: 500)
        #expect(people.allSatisfy(net["a"].isOnline) && !net["a"].isOnline(late))
        net.isLost = { _, _ in false }
        net.run(milliseconds: SignalLimits.listMilliseconds + 500)
        #expect(people[..<20].allSatisfy { !net["a"].isOnline($0) })
        #expect(people[20...].allSatisfy(net["a"].isOnline) && net["a"].isOnline(late))
    }

    @Test func `a node that vanishes loses its users after its silence, last seen when it was heard last`() throws {
        let net = try RelayNet(["a", "b", "c"])
        defer { net.close() }
        let (both, only) = (try person(3), try person(4))
        net["b"].take(.arrived(both))
        net["c"].take(.arrived(both))
        net["c"].take(.arrived(only))
        net.run(milliseconds: 4_000)
        let heard = net.now
        net.isLost = { from, _ in from == "c" }
        net.run(milliseconds: SignalLimits.silentMilliseconds - 4_000)
        #expect(net["a"].isOnline(only))
        net.run(milliseconds: 4_500)
        #expect(!net["a"].isOnline(only) && net["a"].isOnline(both))
        #expect(net["a"].sessionsElsewhere(of: both) == 1)
        let end = try #require(net["a"].seen.last)
        #expect(end.person == only && !end.isOnline)
        #expect((heard - 3_000...heard).contains(end.at.milliseconds))
        #expect(net["a"].relay.otherNodes == ["b"])
        net.isLost = { _, _ in false }
        net.run(milliseconds: SignalLimits.listMilliseconds)
        #expect(net["a"].isOnline(only), "it was only cut off")
    }

    @Test func `a node that says goodbye loses its users at once, and late words of it count no more`() throws {
        let net = try RelayNet(["a", "b"])
        defer { net.close() }
        let bob = try person(3)
        net["b"].take(.arrived(bob))
        net.run(milliseconds: 200)
        net["b"].take(.arrived(try person(4)))
        let late = net["b"].relay.takePublications(at: net.now + 200)
        net["a"].receive(net["b"].relay.goodbye())
        for publication in late { net["a"].receive(publication) }
        // Its process has ended.
        net.isLost = { from, _ in from == "b" }
        net.run(milliseconds: 10)
        #expect(!net["a"].isOnline(bob))
        #expect(!net["a"].isOnline(try person(4)))
        #expect(net["a"].seen.map(\.isOnline) == [true, false])
    }

    @Test func `a node that was started again begins without users, and a new node gets everybody's list soon`() throws
    {
        let net = try RelayNet(["a", "b"])
        defer { net.close() }
        let bob = try person(3)
        net["a"].take(.arrived(try person(7)))
        net["b"].take(.arrived(bob))
        net.run(milliseconds: 2_000)
        #expect(net["a"].isOnline(bob))
        try net.restart("b")
        net.run(milliseconds: 1_500)
        #expect(!net["a"].isOnline(bob))
        #expect(net["b"].isOnline(try person(7)), "long before the next list is due")
    }

    @Test func `more users than one message takes are many messages, none of them too large, and each is heard`() throws
    {
        let net = try RelayNet(["a", "b"])
        defer { net.close() }
        net.isLost = { _, to in to == "a" }
        let people = try (2...20_001).map { try person($0) }
        for person in people { net["b"].take(.arrived(person)) }
        net.run(milliseconds: 200)
        net.isLost = { _, _ in false }
        net.sizes = []
        net.run(milliseconds: SignalLimits.listMilliseconds + 1_000)
        #expect(net.sizes.count { $0 > 1000 } > 1)
        #expect(net.sizes.allSatisfy { $0 <= SignalLimits.messageBytesMax + 100 })
        #expect(people.allSatisfy(net["a"].isOnline))
    }

    /// Three nodes whose messages are lost, doubled and delayed by chance; when that ends, all agree with the truth.
    @Test(arguments: 1...30) func `all nodes agree when the losses are over`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let net = try RelayNet(["a", "b", "c"])
        defer { net.close() }
        let people = try (2...9).map { try person($0 * 300) }
        var sessions: [String: [Int64: Int]] = [:]
        net.makesTrouble = random
        for _ in 0..<400 {
            let name = try #require(["a", "b", "c"].randomElement(using: &random))
            let person = try #require(people.randomElement(using: &random))
            let count = sessions[name]?[person.id.value] ?? 0
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<7:
                net[name].take(.arrived(person))
                sessions[name, default: [:]][person.id.value] = count + 1
            case 7..<14 where count > 0:
                net[name].take(.left(person))
                sessions[name, default: [:]][person.id.value] = count - 1
            case 14:
                try net.restart(name)
                sessions[name] = [:]
            default: net.run(milliseconds: Int64.random(in: 10...700, using: &random))
            }
        }
        net.makesTrouble = nil
        net.run(milliseconds: 2 * SignalLimits.listMilliseconds)
        for name in ["a", "b", "c"] {
            for person in people {
                let count = sessions.filter { $0.key != name }.reduce(0) { $0 + ($1.value[person.id.value] ?? 0) }
                #expect(net[name].sessionsElsewhere(of: person) == count)
                #expect(net[name].isOnline(person) == (count > 0))
            }
        }
    }

    @Test func `typing reaches every loop of the other nodes once, within the bound of a second`() throws {
        let net = try RelayNet(["a", "b", "c"])
        defer { net.close() }
        net.run(milliseconds: 200)
        let event = EncodedEvent(.typing, json: Array("{}".utf8))
        for _ in 0..<SignalLimits.eventsPerSecond + 5 { net["a"].take(.ephemeral([alice], event)) }
        net.run(milliseconds: 20)
        for name in ["b", "c"] {
            #expect(net[name].signals.map(\.count) == [2000, 2000])
            #expect(net[name].signals.joined().allSatisfy { $0.0 == [alice] && $0.1 == event })
        }
        #expect(net["a"].signals.map(\.count) == [0, 0])
        #expect(net["a"].dropped == 5)
        net.run(milliseconds: 1_000)
        net["a"].take(.ephemeral([alice], event))
        net.run(milliseconds: 20)
        #expect(net["b"].signals.map(\.count) == [2001, 2001])
    }

    @Test func `a claim reaches the other nodes, where the node's name decides a tie`() throws {
        let net = try RelayNet(["a", "b"])
        defer { net.close() }
        let key = DeviceKey(user: alice, device: "phone")
        net["a"].take(.claimed(key, number: 7))
        net["b"].take(.claimed(key, number: 8))
        net.run(milliseconds: 20)
        #expect(net["b"].claims == [NodeClaim(device: key, number: 7, winsTies: false)])
        #expect(net["a"].claims == [NodeClaim(device: key, number: 8, winsTies: true)])
    }

    @Test func `only the nodes of the asked users get the question, and they answer who looks`() throws {
        let net = try RelayNet(["a", "b", "c"])
        defer { net.close() }
        let bob = try person(3)
        let session = LookingSession(user: bob.id, device: "tv", acked: Position(9), focus: true, chat: nil)
        net["b"].take(.arrived(bob))
        net["b"].looking = [session]
        net.run(milliseconds: 200)
        net["a"].take(.looking(PushQuestion(number: 5, users: [alice])))
        net.run(milliseconds: 10)
        #expect(net["a"].answers.map(\.number) == [5], "nobody has a session of hers")
        net["a"].take(.looking(PushQuestion(number: 6, users: [alice, bob.id])))
        net.run(milliseconds: 40)
        #expect(net["a"].answers.map(\.number) == [5, 6])
        #expect(net["a"].answers.last?.sessions == [session, session], "one of each loop")
        #expect(net["b"].questions == 1 && net["c"].questions == 0)
    }

    @Test func `a node that does not answer looks at nothing after a moment`() throws {
        let net = try RelayNet(["a", "b", "c"])
        defer { net.close() }
        let bob = try person(3)
        let session = LookingSession(user: bob.id, device: "tv", acked: Position(9), focus: true, chat: nil)
        for name in ["b", "c"] {
            net[name].take(.arrived(bob))
            net[name].looking = [session]
        }
        net.run(milliseconds: 200)
        net.isLost = { from, _ in from == "c" }
        net["a"].take(.looking(PushQuestion(number: 1, users: [bob.id])))
        net.run(milliseconds: SignalLimits.lookingMilliseconds - 20)
        #expect(net["a"].answers.isEmpty)
        net.run(milliseconds: 40)
        #expect(net["a"].answers.map(\.number) == [1])
        #expect(net["a"].answers.first?.sessions == [session, session])
    }

    @Test func `bytes that it cannot read are counted, and change nothing`() throws {
        let net = try RelayNet(["a"])
        defer { net.close() }
        for bytes in [[], [2, 1, 1, 0x62], [1, 44, 1, 0x62], [1, 5]] as [[UInt8]] {
            net["a"].relay.receive(bytes, at: net.now)
        }
        #expect(net["a"].unreadable == 4)
        #expect(net["a"].relay.otherNodes.isEmpty)
    }
}
