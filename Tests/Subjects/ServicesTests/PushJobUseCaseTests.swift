import Execution
import JSON
import Model
import Push
import ServicesTestSupport
import Store
import Testing

@testable import ClientProtocol
@testable import Services

/// Push jobs as an operator looks at them.
struct PushJobUseCaseTests {
    private let house: House

    init() throws { house = try House() }

    private func commit(_ change: @escaping (WriteTransaction) throws -> Void) throws {
        _ = try house.writer.commit([change]) { change, transaction in
            try change(transaction)
        } refuse: {
            Issue.record($0)
        }
    }

    /// A device of a user, as though an app had registered it.
    private func device(_ name: String, of user: StreamID) throws -> Int64 {
        var found: Int64 = 0
        try commit {
            found = try $0.pushDevices.put(
                PushRegistration(.fcm, target: "token-\(name)", .token), as: name, of: user, at: house.now)
        }
        return found
    }

    private func job(_ stream: StreamID, at seq: Int64, chatFrom: Int64? = nil) throws {
        try commit {
            var draft = PushJobDraft(
                chatFrom == nil ? .notification : .message, at: Position(seq), in: stream, .active,
                committed: house.now)
            draft.chatFrom = chatFrom
            try $0.pushJobs.insert(draft)
        }
    }

    /// The stream of the chat of alice and bob.
    private func openChat() throws -> StreamID {
        try house.follow("alice", "user:bob")
        try house.send("alice", "bob")
        let entry = try house.look { try $0.chats.find(try chat("alice:bob")) }
        return StreamID(chat: try #require(entry).id)
    }

    private func note(_ job: Int64, _ devices: [(Int64, PushSettlement.Try.Outcome, String)], ended: Bool) throws {
        try commit { transaction in
            let entry = try #require(try transaction.pushJobs.job(job))
            _ = try transaction.pushJobs.note(
                PushSettlement.Progress(entry, to: StreamID(stored: 1_000_000), isEnded: ended))
            for (device, outcome, answer) in devices {
                _ = try transaction.pushJobs.note(
                    PushSettlement.Try(
                        job: job, device: device, number: 1, at: house.now, status: Int(answer), answer: answer, outcome
                    ))
            }
        }
    }

    private func list(_ user: String? = nil, state: String? = nil, before: String? = nil, limit: Int = 50) throws
        -> JSONValue
    {
        let user = try user.map(ServicesTestSupport.user)
        return try house.read(ListPushJobs(of: user, state: state, before: before, limit: limit), by: "admin")
    }

    @Test func `jobs are listed newest first, each with its stream and its counts`() throws {
        let alice = try house.entry("alice").id
        let chat = try openChat()
        try job(alice, at: 1)
        try job(.everyone, at: 2)
        try job(chat, at: 3, chatFrom: 7)
        let jobs = try list()["jobs"]?.arrayValue ?? []
        #expect(jobs.compactMap { $0["id"]?.stringValue } == ["3", "2", "1"])
        #expect(jobs[0]["chat"] == "alice:bob" && jobs[0]["n"] == 7 && jobs[0]["kind"] == "message")
        #expect(jobs[1]["topic"] == "everyone" && jobs[1]["notification"] == "n2")
        #expect(jobs[2]["user"] == "alice" && jobs[2]["state"] == "waiting" && jobs[2]["level"] == "active")
        #expect(jobs[2]["at"] == .string(house.now.text) && jobs[2]["pushed"] == 0)
    }

    @Test func `a list has pages and can be asked for one state`() throws {
        let alice = try house.entry("alice").id
        for seq in 1...5 { try job(alice, at: Int64(seq)) }
        try note(4, [], ended: true)
        let first = try list(limit: 2)
        #expect(first["jobs"]?.arrayValue?.compactMap { $0["id"]?.stringValue } == ["5", "4"])
        let rest = try list(before: first["next"]?.stringValue, limit: 3)
        #expect(rest["jobs"]?.arrayValue?.count == 3 && rest["next"] == nil)
        #expect(try list(state: "ended")["jobs"]?.arrayValue?.compactMap { $0["id"]?.stringValue } == ["4"])
        #expect(try list(state: "waiting")["jobs"]?.arrayValue?.count == 4)
    }

    @Test func `the jobs of a user are those of the inbox, of the chats, and those with a result for a device`() throws
    {
        let (alice, bob) = (try house.entry("alice").id, try house.entry("bob").id)
        let chat = try openChat()
        let phone = try device("phone", of: alice)
        try job(alice, at: 1)
        try job(bob, at: 2)
        try job(chat, at: 3, chatFrom: 1)
        try job(.everyone, at: 4)
        try job(.everyone, at: 5)
        try note(4, [(phone, .sent, "200")], ended: true)
        #expect(try list("alice")["jobs"]?.arrayValue?.compactMap { $0["id"]?.stringValue } == ["4", "3", "1"])
        #expect(try list("bob")["jobs"]?.arrayValue?.compactMap { $0["id"]?.stringValue } == ["3", "2"])
        #expect(try list("alice", state: "ended")["jobs"]?.arrayValue?.count == 1)
    }

    @Test func `a wrong job is refused by its field`() throws {
        let refused: [(ListPushJobs, String?)] = [
            (ListPushJobs(of: nil, state: "lost", before: nil, limit: 5), "state"),
            (ListPushJobs(of: nil, state: nil, before: "x", limit: 5), "before"),
        ]
        for (useCase, field) in refused {
            let refusal = try house.refusal { try house.read(useCase, by: "admin") }
            #expect(refusal.code == .badRequest && refusal.field == field)
        }
        #expect(try house.refusal { try list("nobody") }.code == .notFound)
        let one = try house.refusal { try house.read(ReadPushJob(id: 7, after: nil, limit: 5), by: "admin") }
        #expect(one.code == .notFound && one.field == "id")
    }

    @Test func `one job has the result for each device in pages, also of a device that is gone`() throws {
        let alice = try house.entry("alice").id
        let devices = try ["phone", "laptop", "tablet"].map { try device($0, of: alice) }
        try job(alice, at: 1)
        try note(
            1,
            [
                (devices[0], .sent, "200"), (devices[1], .skipped, "on-screen"),
                (devices[2], .again(at: house.now.adding(milliseconds: 5000), variant: "usual"), "503"),
            ], ended: true)
        try commit { _ = try $0.pushDevices.delete(devices[1]) }
        let page = try house.read(ReadPushJob(id: 1, after: nil, limit: 2), by: "admin")
        #expect(page["id"] == "1" && page["state"] == "ended" && page["user"] == "alice")
        let tries = page["tries"]?.arrayValue ?? []
        #expect(tries.count == 2)
        #expect(tries[0]["device"] == "phone" && tries[0]["platform"] == "fcm" && tries[0]["user"] == "alice")
        #expect(tries[0]["state"] == "sent" && tries[0]["status"] == 200 && tries[0]["attempts"] == 1)
        #expect(tries[1]["answer"] == "on-screen" && tries[1]["device"] == nil && tries[1]["status"] == nil)
        let next = try house.read(ReadPushJob(id: 1, after: page["next"]?.stringValue, limit: 2), by: "admin")
        #expect(next["tries"]?.arrayValue?.count == 1 && next["next"] == nil)
        #expect(next["tries"]?.arrayValue?[0]["next"] == .string(house.now.adding(milliseconds: 5000).text))
        #expect(!page.text.contains("token-"))
    }
}
