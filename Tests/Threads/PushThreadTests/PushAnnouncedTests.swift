import JSON
import Model
import Notifying
@testable import Push
import ServicesTestSupport
import Testing
@testable import PushThread
@testable import Log
@testable import Store

/// Messages for which a notification is pushed, beside messages that wait: each rings once.
struct PushAnnouncedTests {
    private let house: House

    /// A message waits, and nothing is decided about it yet.
    init() throws {
        house = try House.filmNetwork()
        _ = try house.entry("bob")
        try house.follow("alice", "user:bob")
        try house.addDevice(of: "bob")
        try house.send("alice", "bob", "first")
    }

    private func number(_ decision: PushDecision) throws -> MessageNumber? { try decision.material.entry?.number }

    private func skip(_ decision: PushDecision) -> PushSkip? {
        if case .skip(let reason) = decision { reason } else { nil }
    }

    @Test func `a recommendation joins the job: the older message is pushed, and no other job follows`() throws {
        try house.recommend("alice", "bob")
        #expect(try house.pushJobs.map(\.kind) == [.message, .notification])
        let job = try house.pushJobs[0]
        #expect(try number(house.decide(job, for: "bob", upTo: 2)) == 1)
        try house.push(job, judged: 2)
        #expect(try house.pushJobs.count == 2)
    }

    @Test func `a message after the recommendation is pushed`() throws {
        try house.recommend("alice", "bob")
        try house.send("alice", "bob", "second")
        #expect(try number(house.decide(house.pushJobs[0], for: "bob", upTo: 3)) == 3)
    }

    @Test func `a job after a hold pushes no recommendation, and no message of the job before`() throws {
        try house.recommend("alice", "bob")
        try house.push(try house.pushJobs[0], judged: 1)
        let next = try house.pushJob
        #expect(next.kind == .message && next.chatFrom == 2)
        #expect(skip(try house.decide(next, for: "bob", upTo: 2)) == .replaced)
        try house.send("alice", "bob", "second")
        #expect(try number(house.decide(next, for: "bob", upTo: 3)) == 3)
    }

    @Test func `a recommendation whose notification is not pushed is pushed as a message`() throws {
        try house.write(ChangePreferences(["mute": ["kinds": ["recommendation": true]]]), by: "bob")
        try house.recommend("alice", "bob")
        #expect(try house.pushJobs.map(\.kind) == [.message])
        #expect(try number(house.decide(house.pushJobs[0], for: "bob", upTo: 2)) == 2)
    }

    @Test func `a later try of a message is not replaced by a recommendation, but by a message`() throws {
        try house.settle(house.page(of: house.pushJob, .again(at: house.now, variant: "usual"), judged: 1))
        try house.recommend("alice", "bob")
        let job = try house.pushJobs[0]
        #expect(job.judged == 1)
        #expect(try number(house.decide(job, for: "bob")) == 1)
        try house.send("alice", "bob", "second")
        #expect(skip(try house.decide(job, for: "bob")) == .replaced)
    }

    @Test func `an answer does not push the message before it again`() throws {
        try house.push(try house.pushJob, judged: 1)
        try house.addDevice(of: "alice")
        try house.send("bob", "alice", "answer")
        let job = try house.pushJob
        #expect(try number(house.decide(job, for: "alice", upTo: 2)) == 2)
        #expect(skip(try house.decide(job, for: "bob", upTo: 2)) == .seen)
    }
}
