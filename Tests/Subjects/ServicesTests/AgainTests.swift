import ClientProtocol
import Feeds
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution
import Webhooks

/// Running a trigger again sends missing notifications, and none that were withheld, taken back or read.
struct AgainTests {
    private static func row(_ more: JSONObject = [:]) -> JSONValue {
        var row: JSONObject = [
            "name": "t", "event": "write", "path": "items/{item}", "condition": "after->>'a' > 1",
            "audience": "user:alice", "title": "{{item}} {{after.a}}",
        ]
        for (name, value) in more.members { row[name] = value }
        return .object(row)
    }

    private static func range(_ house: House, from: Int64 = 1) throws -> ReplayRange {
        try ReplayRange(name: "t", from: from, to: house.head.value, limit: nil, .allowed)
    }

    private static func preview(_ house: House) throws -> JSONValue {
        try house.read(PreviewReplay(range(house)), by: "admin")
    }

    @discardableResult
    private static func replay(_ house: House) throws -> JSONValue {
        try house.write(ReplayTrigger(range(house), key: nil), by: "admin")
    }

    private static func titles(_ house: House, _ name: String = "alice") throws -> [String] {
        try house.notifications(name).texts("notifications", "title")
    }

    @discardableResult
    private static func put(_ house: House, _ values: Int64..., id: String = "x") throws -> JSONValue? {
        var report: JSONValue?
        for value in values {
            report = try house.put("items/\(id)", ["a": .integer(value)])["triggers"]?.arrayValue?.first
        }
        return report
    }

    // MARK: What was withheld

    @Test func `a document from the first answer of a feed is not sent by a replay either`() throws {
        let house = try House()
        _ = try FeedUseCaseTests.apply([FeedUseCaseTests.draft("items/x", ["a": 2])], to: house, quiet: true)
        _ = try FeedUseCaseTests.apply([FeedUseCaseTests.draft("items/y", ["a": 2])], to: house)
        try house.put(trigger: Self.row())
        let reason = "it was in the first answer of the feed"
        #expect(try Self.preview(house).texts("changes", "skipped") == [reason])
        #expect(try Self.replay(house)["sent"] == 1)
        #expect(try Self.titles(house) == ["y 2"])
        let explain = try ExplainPath(path: "items/x", user: "alice", seq: nil, limit: nil)
        let change = try house.read(explain, by: "admin")["changes"]?.arrayValue?.first
        let says = change?["triggers"]?.arrayValue?.first?["says"]?.stringValue ?? ""
        #expect(says.hasSuffix(reason))
    }

    @Test func `a change of the trigger's own chain does not fire it later, others pass the chain on`() throws {
        let house = try House()
        let write = DocumentWrite(path: try DocumentPath("items/x"), operation: .put(["a": 2]))
        var useCase = WriteDocuments(write, key: nil)
        useCase.chain = try #require(TriggerChain("t"))
        try house.write(useCase, by: "admin")
        try house.put(trigger: Self.row())
        #expect(try Self.replay(house).texts("changes", "skipped") == ["the chain t already contains it"])

        let other = try House()
        useCase.chain = try #require(TriggerChain("s"))
        try other.write(useCase, by: "admin")
        try other.put("items/x", ["a": 3])
        try other.put(trigger: Self.row(["webhook": "https://hooks.example/"]))
        #expect(try Self.replay(other)["sent"] == 2)
        let jobs = try other.look {
            try $0.webhooks.list(endpoint: nil, trigger: nil, state: nil, before: .max, limit: 9)
        }
        #expect(jobs.map(\.chain) == ["t", "s,t"])
        for job in jobs {
            let data = try JSONValue(parsing: Array(#require(try other.look { try $0.webhooks.data(of: job.id) }).utf8))
            #expect(data["version"] == nil, "the document's version of now is not that of then")
        }
    }

    // MARK: rearm

    private static let hysteresis: JSONObject = ["rearm": "after->>'a' <= 0"]

    @Test func `an alarm that hysteresis held back is not sent by a replay, and the next one rings`() throws {
        let house = try House(triggers: [Self.row(Self.hysteresis)])
        try Self.put(house, 2, 3, 0)
        let replayed = try Self.replay(house)
        #expect(replayed["sent"] == 0)
        #expect(replayed.texts("changes", "skipped").contains("not rearmed"))
        #expect(try Self.put(house, 5)?["notifications"] == 1)
        #expect(try Self.titles(house) == ["x 5", "x 2"])
    }

    @Test func `a replay judges by the history, and spends the trigger only if nothing rearmed it since`() throws {
        let house = try House()
        try Self.put(house, 2, 3, 0)
        try Self.put(house, 2, 0, 4, id: "y")
        try house.put(trigger: Self.row(Self.hysteresis))
        #expect(try Self.preview(house)["sent"] == 3)
        #expect(try Self.replay(house)["sent"] == 3)
        #expect(try Self.titles(house) == ["y 4", "y 2", "x 2"])
        #expect(try Self.put(house, 5)?["notifications"] == 1)
        #expect(try Self.put(house, 6, id: "y")?["skipped"] == "not rearmed")
    }

    // MARK: What came after

    @Test func `the change that withdraws is found however many came after it`() throws {
        let house = try House()
        try house.put("items/x", ["a": 2])
        try house.put("items/x", ["gone": true])
        for n in 1...60 { try house.put("items/x", ["n": .integer(Int64(n))]) }
        try house.put("items/y", ["a": 2])
        try house.put(trigger: Self.row(["withdraw": "after->>'gone'"]))
        let replayed = try Self.replay(house)
        #expect(replayed.texts("changes", "skipped").first?.hasSuffix("withdraws it") == true)
        #expect(try Self.titles(house) == ["y 2"])
    }

    @Test func `a replay does not notify of messages that were read`() throws {
        let house = try House()
        try house.follow("alice", "user:bob")
        try house.recommend("alice", "bob")
        try house.markRead("bob", "alice:bob", 1)
        try house.recommend("alice", "bob", "movie/604")
        try house.put(
            trigger: Self.row([
                "path": "recommendations/{id}", "event": "create", "condition": "", "audience": "user:{after.to}",
                "title": "{{id}}",
            ]))
        let replayed = try Self.replay(house)
        #expect(replayed["sent"] == 1)
        #expect(replayed.texts("changes", "skipped").first == "it has been read")
        #expect(try Self.titles(house, "bob") == ["alice:bob-2"])
    }

    // MARK: Dead letters

    private static func letters(_ house: House) throws -> [Int64] {
        try house.read(ListDead(before: nil, limit: 9), by: "admin").integers("dead", "id")
    }

    private static func retry(_ house: House, _ id: Int64) throws -> JSONValue {
        try house.write(RetryDead(id: id, key: nil), by: "admin")
    }

    @Test func `a letter goes when it was sent, now or already, and stays with a reason otherwise`() throws {
        let house = try House(triggers: [Self.row(["audience": "user:{after.owner}"])])
        try Self.put(house, 2)
        let id = try #require(try Self.letters(house).first)
        try house.put(trigger: Self.row(["condition": "after->>'a' > 9"]))
        let refusal = try house.refusal { try Self.retry(house, id) }
        #expect(refusal.code == .conflict)
        #expect(refusal.message.contains("the condition is 0; the letter stays"))
        #expect(try Self.letters(house) == [id])
        try house.put(trigger: Self.row())
        #expect(try Self.replay(house)["sent"] == 1)
        #expect(try Self.retry(house, id)["triggers"]?.arrayValue?.count == 1)
        #expect(try Self.letters(house).isEmpty)
        #expect(try Self.titles(house) == ["x 2"])
    }

    @Test(arguments: ["digest", "snooze"])
    func `a letter that is of no trigger is refused by its id`(_ name: String) throws {
        let house = try House()
        try house.bury(name, path: "users/alice")
        let refusal = try house.refusal { try Self.retry(house, 1) }
        #expect(refusal.code == .conflict && refusal.field == "id")
        #expect(refusal.message.contains("from a \(name) of users/alice"))
    }

    @Test func `a webhook that gave up is no failure of its trigger`() throws {
        let house = try House(triggers: [Self.row(["webhook": "https://hooks.example/"])])
        try Self.put(house, 2)
        let attempt = WebhookAttempt(
            job: 1, number: 1, at: house.now, status: 500, answer: "500 no", outcome: .dead(reason: "why"))
        try house.write(SettleWebhooks([attempt]), by: "server")
        let change = try #require(try house.look { try $0.webhooks.job(1) }).change
        #expect(try house.look { try $0.dead.find(1) } != nil)
        #expect(try house.look { try $0.runs.failure(of: "t", on: change) } == nil)
    }
}
