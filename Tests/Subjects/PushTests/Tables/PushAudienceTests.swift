import Model
@testable import Push
import Store
import StoreTestSupport
import Testing

struct PushAudienceTests {
    private let push: PushStore
    private var store: TestStore { push.store }

    init() throws { push = try PushStore() }

    @Test func `a personal job has all devices of its user, and no other`() throws {
        let alice = try push.user("alice", devices: 3)
        try push.user("bob", devices: 1)
        let job = try push.notify(alice, isShared: false)
        let pages = try push.pages(of: job.id)
        #expect(pages.map { $0.devices.map(\.device) } == [["d0", "d1", "d2"]])
        #expect(pages.map(\.upTo) == [alice])
        #expect(try push.job(job.id).state == .ended)
    }

    @Test func `a chat's job has the devices of its members`() throws {
        let (alice, bob) = (try push.user("alice", devices: 1), try push.user("bob", devices: 2))
        try push.user("carol", devices: 1)
        let job = try store.write { transaction in
            let name = try #require(ChatID("alice:bob"))
            let chat = try transaction.chats.make(name, members: [alice, bob])
            var draft = PushJobDraft(
                .message, at: Position(1), in: StreamID(chat: chat.id), .active, committed: push.now)
            draft.chatFrom = 1
            #expect(try transaction.pushJobs.insert(draft))
            #expect(try !transaction.pushJobs.insert(draft), "one waits already")
            return try #require(try transaction.pushJobs.job(aboutMessage: 5, in: chat.id))
        }
        #expect(try push.pages(of: job.id).map { $0.devices.map(\.user) } == [[alice, bob, bob]])
    }

    @Test func `the readers of a topic are those who followed before, in pages of whole users`() throws {
        let (first, second) = try store.write { transaction in
            (try transaction.streams.findOrMake(topic("t:one")), try transaction.streams.findOrMake(topic("t:two")))
        }
        let users = try (0..<120).map { try push.user("u\($0)", devices: $0.isMultiple(of: 40) ? 0 : 5) }
        let late = try push.user("late", devices: 1)
        try store.write { transaction in
            for (place, user) in users.enumerated() {
                if place < 70 { try transaction.follows.insert(follower: user, stream: first, since: .zero) }
                if place >= 50 { try transaction.follows.insert(follower: user, stream: second, since: .zero) }
            }
            try transaction.follows.insert(follower: late, stream: first, since: Position(1_000))
        }
        let job = try push.notify(first, isShared: true, others: [second])
        let pages = try push.pages(of: job.id)
        let expected = users.enumerated().flatMap { place, user in
            place.isMultiple(of: 40) ? [] : Array(repeating: user, count: 5)
        }
        #expect(pages.flatMap(\.devices).map(\.user) == expected)
        #expect(pages.map(\.devices.count) == [255, 255, 75])
        #expect(try push.job(job.id).pushed == 585)
    }

    @Test func `everyone are those who were known before`() throws {
        let alice = try push.user("alice", devices: 1)
        try push.user("bob", devices: 0)
        let carol = try push.user("carol", devices: 1)
        let job = try push.notify(.everyone, isShared: true)
        let late = try push.user("dave", devices: 1)
        #expect(late > carol)
        #expect(try push.pages(of: job.id).map { $0.devices.map(\.user) } == [[alice, carol]])
    }

    @Test func `a topic whose followers have no devices is looked through in bounded steps`() throws {
        let stream = try store.write { try $0.streams.findOrMake(topic("t:one")) }
        let last = try store.write { transaction in
            var last = StreamID.nobody
            for number in 0..<4_500 {
                last = try transaction.users.findOrMake(userID("u\(number)"), at: .zero)
                try transaction.follows.insert(follower: last, stream: stream, since: .zero)
            }
            return last
        }
        try store.write {
            try $0.pushDevices.put(PushRegistration(.fcm, target: "t", .token), as: "d", of: last, at: push.now)
        }
        let job = try push.notify(stream, isShared: true)
        let pages = try push.pages(of: job.id)
        #expect(pages.map(\.devices.count) == [0, 0, 1])
        #expect(pages.map(\.isLast) == [false, false, true])
    }

    @Test func `a withdrawal has the devices that were pushed, and the whole audience if that is not kept`() throws {
        let alice = try push.user("alice", devices: 2)
        let job = try push.notify(.everyone, isShared: true)
        let devices = try push.pages(of: job.id)[0].devices
        _ = try push.user("bob", devices: 1)
        try store.write { transaction in
            try transaction.pushDevices.delete(devices[0].id)
        }
        let withdrawal = try push.notify(.everyone, isShared: true, .withdrawal, previous: job.id)
        #expect(try push.pages(of: withdrawal.id, nil).map { $0.devices.map(\.id) } == [[devices[1].id]])
        #expect(devices[1].user == alice)

        let large = try push.notify(.everyone, isShared: true)
        try store.write { transaction in
            var progress = PushSettlement.Progress(large, to: alice, isEnded: true)
            progress.isLarge = true
            _ = try transaction.pushJobs.note(progress)
        }
        let other = try push.notify(.everyone, isShared: true, .withdrawal, previous: large.id)
        #expect(try push.pages(of: other.id, nil).map { $0.devices.map(\.user.value) }.first?.count == 2)
    }
}
