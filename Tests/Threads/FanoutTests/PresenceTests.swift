import Fanout
import Model
import TestSupport
import Testing

struct PresenceTests {
    private let alice = StreamID(stored: 2)
    private let bob = StreamID(stored: 3)
    /// The user of the sessions that observe.
    private let viewer = StreamID(stored: 9)

    private func people(_ ids: StreamID...) -> [(id: StreamID, name: UserID)] {
        ids.compactMap { id in UserID("user-\(id.value)").map { (id, $0) } }
    }

    @Test func `a hidden user is reported to nobody, until the user is shown and asked for again`() throws {
        let presence = Presence()
        _ = presence.apply(alice, isOnline: true, onLoop: 0)
        #expect(presence.watch(people(alice, bob), by: 1, of: viewer).map(\.text) == ["user-2"])
        let seen = try #require(presence.hide(alice))
        #expect(seen.name.text == "user-2" && seen.slots == [1])
        #expect(presence.hide(bob) == nil, "nobody saw him online")
        #expect(presence.apply(alice, isOnline: false, onLoop: 0).isEmpty)
        _ = presence.apply(alice, isOnline: true, onLoop: 0)
        #expect(presence.watch(people(alice), by: 1, of: viewer).isEmpty, "a watch that was on its way")
        presence.show(alice)
        #expect(presence.watch(people(alice), by: 1, of: viewer).map(\.text) == ["user-2"])
        #expect(presence.apply(alice, isOnline: false, onLoop: 0) == [1])
    }

    @Test func `a blocked user sees the other offline, and nobody else does`() throws {
        let presence = Presence()
        _ = presence.apply(alice, isOnline: true, onLoop: 0)
        presence.watch(people(alice), by: 1, of: bob)
        presence.watch(people(alice), by: 2, of: viewer)
        presence.setApart(alice, bob, true)
        let seen = try #require(presence.unwatch(alice, by: [1]))
        #expect(seen.name.text == "user-2" && seen.slots == [1])
        #expect(presence.unwatch(bob, by: [2]) == nil)
        #expect(presence.watch(people(alice), by: 1, of: bob).isEmpty, "a watch that was on its way")
        #expect(presence.apply(alice, isOnline: false, onLoop: 0) == [2])
        presence.setApart(bob, alice, false)
        presence.watch(people(alice), by: 1, of: bob)
        #expect(Set(presence.apply(alice, isOnline: true, onLoop: 0)) == [1, 2])
    }

    @Test func `users with neighbouring numbers are not confused`() {
        let presence = Presence()
        let users = [63, 64, 65, 127, 128, 1 << 40].map { StreamID(stored: Int64($0)) }
        for user in users { _ = presence.apply(user, isOnline: true, onLoop: 1) }
        _ = presence.apply(users[1], isOnline: false, onLoop: 1)
        #expect(users.map(presence.isOnline) == [true, false, true, true, true, true])
        #expect(presence.onlineCount == 5)
    }

    @Test func `a user is online while any loop says so`() {
        let presence = Presence()
        presence.watch(people(alice), by: 5, of: viewer)
        #expect(presence.apply(alice, isOnline: true, onLoop: 0) == [5])
        #expect(presence.apply(alice, isOnline: true, onLoop: 63).isEmpty)
        #expect(presence.apply(alice, isOnline: false, onLoop: 0).isEmpty)
        #expect(presence.isOnline(alice))
        #expect(presence.onlineCount == 1)
        #expect(presence.apply(alice, isOnline: false, onLoop: 63) == [5])
        #expect(!presence.isOnline(alice))
        #expect(presence.apply(alice, isOnline: false, onLoop: 63).isEmpty)
    }

    @Test func `other nodes are one further place, and do not count among the users of this one`() {
        let presence = Presence()
        presence.watch(people(alice), by: 5, of: viewer)
        #expect(presence.apply(alice, isOnlineElsewhere: true) == [5])
        #expect(presence.apply(alice, isOnlineElsewhere: true).isEmpty)
        #expect(presence.apply(alice, isOnline: true, onLoop: 63).isEmpty)
        #expect(presence.onlineCount == 1)
        #expect(presence.apply(alice, isOnlineElsewhere: false).isEmpty)
        #expect(presence.isOnline(alice))
        #expect(presence.apply(alice, isOnlineElsewhere: true).isEmpty)
        #expect(presence.apply(alice, isOnline: false, onLoop: 63).isEmpty)
        #expect(presence.isOnline(alice) && presence.onlineCount == 0)
        #expect(!presence.isOnline(bob))
        #expect(presence.apply(alice, isOnlineElsewhere: false) == [5])
        #expect(!presence.isOnline(alice))
    }

    @Test func `a new watch replaces the earlier list, and a session that is gone gets nothing`() {
        let presence = Presence()
        presence.watch(people(alice, bob), by: 1, of: viewer)
        presence.watch(people(bob), by: 1, of: viewer)
        #expect(presence.apply(alice, isOnline: true, onLoop: 0).isEmpty)
        #expect(presence.apply(bob, isOnline: true, onLoop: 0) == [1])
        presence.unwatch(1)
        #expect(presence.apply(bob, isOnline: false, onLoop: 0).isEmpty)
    }

    @Test func `a user that is watched twice is reported once`() {
        let presence = Presence()
        presence.watch(people(alice, bob, alice), by: 1, of: viewer)
        #expect(presence.apply(alice, isOnline: true, onLoop: 0) == [1])
        presence.watch([], by: 1, of: viewer)
        #expect(presence.apply(alice, isOnline: false, onLoop: 0).isEmpty)
    }

    /// Loops inform each other by queues that are emptied at random. At the end all loops must agree with the truth,
    /// and each watcher must have got every change that its loop saw.
    @Test(arguments: 1...12)
    func `all loops agree when every change has reached them`(seed: UInt64) {
        struct Word {
            let user: StreamID
            let isOnline: Bool
            let loop: Int
        }
        var random = SeededRandom(seed: seed)
        let users = (2...5).map { StreamID(stored: $0) }
        let loops = (0..<3).map { _ in Presence() }
        for loop in loops {
            for user in users { loop.watch(users.flatMap { people($0) }, by: Slot(user.value), of: user) }
        }
        var sessions = Array(repeating: [StreamID: Int](), count: loops.count)
        var queues = Array(repeating: [Word](), count: loops.count)
        var seen = Array(repeating: Set<StreamID>(), count: loops.count)

        func takeOne(on loop: Int) {
            guard !queues[loop].isEmpty else { return }
            let word = queues[loop].removeFirst()
            let told = loops[loop].apply(word.user, isOnline: word.isOnline, onLoop: word.loop)
            let isOnline = loops[loop].isOnline(word.user)
            #expect(told.count == (seen[loop].contains(word.user) == isOnline ? 0 : users.count))
            if isOnline { seen[loop].insert(word.user) } else { seen[loop].remove(word.user) }
        }

        for _ in 1...2000 {
            let loop = Int.random(in: 0..<loops.count, using: &random)
            let user = users[Int.random(in: 0..<users.count, using: &random)]
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                sessions[loop][user, default: 0] += 1
                guard sessions[loop][user] == 1 else { continue }
                for peer in queues.indices { queues[peer].append(Word(user: user, isOnline: true, loop: loop)) }
            case 1 where sessions[loop][user, default: 0] > 0:
                sessions[loop][user, default: 0] -= 1
                guard sessions[loop][user] == 0 else { continue }
                for peer in queues.indices { queues[peer].append(Word(user: user, isOnline: false, loop: loop)) }
            default: takeOne(on: loop)
            }
        }
        for loop in queues.indices { while !queues[loop].isEmpty { takeOne(on: loop) } }
        let online = Set(users.filter { user in sessions.contains { $0[user, default: 0] > 0 } })
        for loop in loops.indices {
            #expect(Set(users.filter { loops[loop].isOnline($0) }) == online)
            #expect(loops[loop].onlineCount == online.count)
        }
    }
}
