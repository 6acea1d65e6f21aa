import JSON
import Model
import Push
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

/// The pushes in the answers of `explain`.
struct ExplainPushTests {
    private let house: House

    init() throws {
        house = try House.filmNetwork()
        for name in ["alice", "bob"] { _ = try house.actor(name) }
        try house.addDevice(of: "alice")
    }

    private func explained(_ user: String?) throws -> [String] {
        let id = NotificationEntry.id(of: try house.pushJob.position)
        let answer = try house.read(ExplainNotification(id: id, user: user.map(ServicesTestSupport.user)), by: "admin")
        return pushes(answer["trail"])
    }

    private func pushes(_ trail: JSONValue?) -> [String] {
        (trail?.arrayValue ?? []).filter { $0["step"] == "push" }.compactMap { $0["says"]?.stringValue }
    }

    @Test func `a job waits, and is then explained by the result for each device`() throws {
        try house.broadcast("user:alice")
        #expect(try explained("alice") == ["push job 1 waits"])
        try house.addDevice("watch", of: "alice")
        var page = try house.page(of: house.pushJob)
        page.tries[1].outcome = .skipped
        page.tries[1].answer = "on-screen"
        try house.settle(page)
        let sent = "push job 1 · phone (fcm) · sent 200, \(house.now.text)"
        #expect(try explained("alice") == [sent, "push job 1 · watch (fcm) · skipped: on-screen"])
        try house.seen("alice", upTo: house.head.value)
        try house.write(RemoveDevice("watch"), by: "alice")
        #expect(
            try explained("alice") == [
                sent + ", and taken back since", "push job 1 · device 2, removed since · skipped: on-screen",
            ])
    }

    @Test func `a try that waits says until when`() throws {
        try house.broadcast("everyone")
        let due = house.now.adding(milliseconds: 5_000)
        try house.settle(house.page(of: house.pushJob, .again(at: due, variant: "usual")))
        #expect(try explained("alice") == ["push job 1 · phone (fcm) · waits until \(due.text): 200"])
        #expect(try explained("bob") == ["push job 1 · nothing was sent"])
        #expect(try explained(nil) == ["push job 1 · 0 sent, 0 skipped, 0 given up"])
    }

    @Test func `a message is explained by the job that it belongs to`() throws {
        try house.follow("bob", "user:alice")
        for _ in 1...2 { try house.send("bob", "alice") }
        func explained() throws -> [String] {
            let explain = try ExplainPath(path: "chats/alice:bob/messages/2", user: "alice", seq: nil, limit: nil)
            return pushes(try house.read(explain, by: "admin")["push"])
        }
        let job = try house.pushJob
        #expect(try explained() == ["push job \(job.id) waits"])
        try house.push(job, judged: 2)
        #expect(try explained() == ["push job \(job.id) · phone (fcm) · sent 200, \(house.now.text)"])
    }
}
