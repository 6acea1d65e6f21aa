import JSON
import Model
import Notifying
import Push
import ServicesTestSupport
import Store
import Testing

/// The pushes of chat messages.
struct PushMessageTests {
    private let house: House

    init() throws {
        house = try House.filmNetwork()
        for name in ["alice", "bob"] { _ = try house.actor(name) }
        try house.follow("alice", "user:bob")
    }

    @Test func `a message has a job if a member but the author has a device`() throws {
        try house.send("alice", "bob")
        try house.addDevice(of: "alice")
        try house.send("alice", "bob")
        #expect(try house.pushJobs.filter { $0.kind == .message }.isEmpty)
        let n = try #require(try house.send("bob", "alice").n)
        let job = try house.pushJob
        #expect(job.kind == .message)
        #expect(job.chatFrom == n)
        #expect(job.level == .active)
        #expect(job.stream.kind == .chat(1))
        #expect(!job.isShared)
        #expect(job.ends == house.now.adding(milliseconds: PushLimits.messageMilliseconds))
    }

    @Test func `one job of a chat waits, and the messages that it has not decided about make the next`() throws {
        try house.addDevice(of: "bob")
        for _ in 1...3 { try house.send("alice", "bob") }
        #expect(try house.pushJobs.map(\.chatFrom) == [1])
        house.now = house.now.adding(milliseconds: 4_000)
        try house.send("alice", "bob")
        house.now = house.now.adding(milliseconds: 1)
        let page = try house.page(of: house.pushJob, judged: 3)
        try house.settle(page)
        #expect(try house.pushJobs.map(\.chatFrom) == [1, 4])
        #expect(try house.pushJob.at == house.now.adding(milliseconds: -1), "the hold begins with the message")
        try house.settle(page)
        try house.push(try house.pushJob, judged: 4)
        #expect(try house.pushJobs.map(\.state) == [.ended, .ended])
        #expect(try house.pushJobs.map(\.pushed) == [1, 1])
    }

    @Test func `messages after the decision that are for nobody with a device make no job`() throws {
        try house.addDevice(of: "bob")
        try house.send("alice", "bob")
        try house.send("bob", "alice")
        try house.push(try house.pushJob, judged: 1)
        #expect(try house.pushJobs.count == 1)
    }

    @Test func `a recommendation rings once: its notification has a job, and its message has none`() throws {
        try house.addDevice(of: "bob")
        try house.recommend("alice", "bob")
        #expect(try house.pushJobs.map(\.kind) == [.notification])
        try house.send("alice", "bob")
        #expect(try house.pushJobs.map(\.kind) == [.notification, .message])
    }

    @Test func `a recommendation whose notification does not ring is pushed as a message`() throws {
        try house.addDevice(of: "bob")
        try house.write(ChangePreferences(["levels": ["critical"]]), by: "bob")
        try house.recommend("alice", "bob")
        #expect(try house.pushJobs.map(\.kind) == [.message], "its own rules are asked when it is sent")
    }

    @Test func `the setting that messages are pushed can be off, and notifications still are`() throws {
        let house = try House.filmNetwork(pushesMessages: false)
        for name in ["alice", "bob"] { _ = try house.actor(name) }
        try house.follow("alice", "user:bob")
        try house.addDevice(of: "bob")
        try house.send("alice", "bob")
        #expect(try house.pushJobs.isEmpty)
        try house.recommend("alice", "bob")
        #expect(try house.pushJobs.map(\.kind) == [.notification])
    }

    @Test func `a chat that is read is taken back, and one that is read in part when its push is read`() throws {
        try house.addDevice(of: "bob")
        for _ in 1...3 { try house.send("alice", "bob") }
        try house.push(try house.pushJob, judged: 3)
        try house.markRead("bob", "alice:bob", 2)
        #expect(try house.gone().isEmpty)
        try house.markRead("bob", "alice:bob", 3)
        #expect(try house.gone() == [.messages(try chat("alice:bob"))])
        #expect(try house.states(ofTries: 1) == [.withdrawn])
    }

    @Test func `a chat that was read while its push was sent is taken back`() throws {
        try house.addDevice(of: "bob")
        try house.send("alice", "bob")
        let underWay = try house.page(of: house.pushJob, judged: 1)
        try house.markRead("bob", "alice:bob", 1)
        try house.settle(underWay)
        #expect(try house.gone() == [.messages(try chat("alice:bob"))])
    }

    @Test func `a recommendation that is read is taken back`() throws {
        try house.addDevice(of: "bob")
        try house.recommend("alice", "bob")
        try house.push(try house.pushJob)
        try house.markRead("bob", "alice:bob", 1)
        #expect(try house.gone() == [.notification(try house.pushJob.position)])
    }
}
