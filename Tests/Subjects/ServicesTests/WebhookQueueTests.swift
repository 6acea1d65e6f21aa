import ClientProtocol
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution
import Webhooks

/// The webhooks that a write queues, and their content.
struct WebhookQueueTests {
    private static func row(_ name: String, _ more: JSONObject = [:]) -> JSONValue {
        var row: JSONObject = [
            "name": .string(name), "event": "write", "path": "items/{item}", "audience": "user:{item}",
            "title": ["en": "Item {{after.n}}", "it": "Cosa {{after.n}}"], "body": "b",
            "webhook": "https://hooks.example/\(name)",
        ]
        for member in more.members { row[member.name] = member.value }
        return .object(row)
    }

    private static func jobs(_ house: House) throws -> [WebhookJob] {
        try house.look { try $0.webhooks.list(endpoint: nil, trigger: nil, state: nil, before: .max, limit: 99) }
            .reversed()
    }

    private static func data(_ house: House, _ job: WebhookJob) throws -> JSONValue {
        try JSONValue(parsing: Array(#require(try house.look { try $0.webhooks.data(of: job.id) }).utf8))
    }

    @Test func `a row that fires queues one webhook for each change, with the change and its notifications`() throws {
        let house = try House(triggers: [Self.row("a", ["level": "passive", "data": ["k": "{{after.n}}"]])])
        let put = try house.put("items/bob", ["n": 1])
        try house.put("items/bob", ["n": 1])
        try house.put("items/bob", ["n": 2])
        try house.delete("items/bob")
        let jobs = try Self.jobs(house)
        #expect(jobs.map(\.event) == ["create", "update", "delete"])
        #expect(jobs.map(\.chain) == ["a", "a", "a"])
        #expect(jobs[0].change.value == put.seq)
        #expect(jobs[0].at == house.now)
        let first = try Self.data(house, jobs[0])
        #expect(first["trigger"] == "a")
        #expect(first["path"] == "items/bob")
        #expect(first["event"] == "create")
        #expect(first["version"] == 1)
        #expect(first["seq"] == put["seq"])
        #expect(first["before"] == .null)
        #expect(first["after"] == ["n": 1])
        let notification: JSONValue = [
            "audience": "user:bob", "kind": "a", "level": "passive", "title": "Item 1", "body": "b",
            "languages": ["it": ["title": "Cosa 1", "body": "b"], "en": ["title": "Item 1", "body": "b"]],
            "data": ["k": "1"], "written": 1,
        ]
        #expect(first["notification"] == notification)
        #expect(try Self.data(house, jobs[1])["before"] == ["n": 1])
        #expect(try Self.data(house, jobs[1])["version"] == 2)
        #expect(try Self.data(house, jobs[2])["after"] == .null)
    }

    @Test func `a row without a webhook, one that skips and one that is off queue nothing`() throws {
        let house = try House(triggers: [
            Self.row("a", ["webhook": .null]), Self.row("b", ["condition": "after ->> 'n' > 1"]),
            Self.row("c", ["enabled": false]),
        ])
        try house.put("items/bob", ["n": 1])
        #expect(try Self.jobs(house).isEmpty)
    }

    @Test func `a trigger that fails leaves no webhook, the others theirs`() throws {
        let house = try House(triggers: [
            Self.row("a", ["condition": "json_extract(after ->> 'n', '$.x')", "event": "update"]), Self.row("b"),
        ])
        try house.put("items/bob", ["n": 1])
        let reply = try house.put("items/bob", ["n": "{"])
        let reports = try #require(reply["triggers"]?.arrayValue)
        #expect(reports[0]["failed"] != nil)
        #expect(try Self.jobs(house).map(\.trigger) == ["b", "b"])
        #expect(try house.read(ListDead(before: nil, limit: 9), by: "admin").texts("dead", "kind") == ["trigger"])
    }

    @Test func `a write that is refused leaves no webhook`() throws {
        let house = try House(triggers: [Self.row("a")])
        let first = DocumentWrite(path: try DocumentPath("items/bob"), operation: .put(["n": 1]))
        let second = DocumentWrite(path: try DocumentPath("items/al"), operation: .delete)
        let refusal = try house.refusal {
            try house.write(WriteDocuments(batch: [first, second], key: nil), by: "admin")
        }
        #expect(refusal.code == .notFound)
        #expect(try Self.jobs(house).isEmpty)
    }

    @Test func `a scheduled call is sent when it fires, with the content of the time when it was scheduled`() throws {
        let house = try House(triggers: [Self.row("a", ["at": "after ->> 'at'"])])
        house.now = try #require(Timestamp("2026-11-21T10:00:00Z"))
        try house.put("items/bob", ["n": 1, "at": "2026-11-22"])
        let moved = try house.put("items/bob", ["n": 2, "at": "2026-11-23"])
        #expect(try Self.jobs(house).isEmpty)
        house.now = try #require(Timestamp("2026-11-22"))
        try house.write(FireDueTriggers(), by: "server")
        #expect(try Self.jobs(house).isEmpty)
        house.now = try #require(Timestamp("2026-11-23"))
        try house.write(FireDueTriggers(), by: "server")
        let jobs = try Self.jobs(house)
        #expect(jobs.map(\.change.value) == [moved.seq])
        #expect(jobs.map(\.at) == [house.now])
        let data = try Self.data(house, jobs[0])
        #expect(data["before"]?["n"] == 1)
        #expect(data["after"]?["n"] == 2)
        #expect(data["notification"]?["written"] == 1)
    }

    @Test func `a schedule that was dropped, or has no webhook any more, queues nothing`() throws {
        let house = try House(triggers: [Self.row("a", ["at": "after ->> 'at'", "event": "write"])])
        house.now = try #require(Timestamp("2026-11-21T10:00:00Z"))
        try house.put("items/bob", ["n": 1, "at": "2026-11-22"])
        try house.delete("items/bob")
        try house.put("items/al", ["n": 1, "at": "2026-11-22"])
        try house.put(trigger: Self.row("a", ["at": "after ->> 'at'", "webhook": .null]))
        try house.put("items/al", ["n": 2, "at": "2026-11-22"])
        house.now = try #require(Timestamp("2026-11-23"))
        try house.write(FireDueTriggers(), by: "server")
        #expect(try house.counts("al").notifications == 1)
        #expect(try Self.jobs(house).isEmpty)
    }

    @Test func `the body is a CloudEvent`() throws {
        let house = try House(triggers: [Self.row("a")])
        try house.put("items/bob", ["n": 1])
        let job = try #require(try Self.jobs(house).first)
        let data = try #require(try house.look { try $0.webhooks.data(of: job.id) })
        let delivery = WebhookDelivery(job: job, url: "https://hooks.example/a", data: data)
        let event = try JSONValue(parsing: delivery.cloudEvent(source: "/film"))
        #expect(event["specversion"] == "1.0")
        #expect(event["id"] == .string(job.name))
        #expect(event["source"] == "/film")
        #expect(event["type"] == "watchwise.document.created")
        #expect(event["subject"] == "items/bob")
        #expect(event["time"] == .string(house.now.text))
        #expect(event["datacontenttype"] == "application/json")
        #expect(event["watchwisechain"] == "a")
        #expect(event["data"]?["after"] == ["n": 1])
    }

    @Test func `a follow queues one, too, without a version`() throws {
        let house = try House(triggers: [
            Self.row("a", ["path": "users/{user}/followers/{item}", "event": "create", "audience": "user:{user}"])
        ])
        try house.follow("alice", "user:bob")
        let job = try #require(try Self.jobs(house).first)
        #expect(job.path == "users/bob/followers/alice")
        #expect(try Self.data(house, job)["version"] == nil)
    }
}

/// Chains of triggers through receivers that write back.
struct TriggerChainGuardTests {
    private static func row(_ name: String) -> JSONValue {
        [
            "name": .string(name), "event": "write", "path": "items/{item}", "audience": "user:{item}", "title": "t",
            "webhook": "https://hooks.example/",
        ]
    }

    private func reports(_ chain: String, to house: House) throws -> [JSONValue] {
        let write = DocumentWrite(path: try DocumentPath("items/bob"), operation: .put(["n": .string(chain)]))
        var useCase = WriteDocuments(write, key: nil)
        useCase.chain = try #require(TriggerChain(chain))
        return try #require(try house.write(useCase, by: "admin")["triggers"]?.arrayValue)
    }

    @Test func `a trigger that is in the chain does not fire again, and says so`() throws {
        let house = try House(triggers: [Self.row("a"), Self.row("b")])
        let reports = try reports("x,a", to: house)
        #expect(reports[0] == ["trigger": "a", "skipped": "the chain x,a already contains it"])
        #expect(reports[1] == ["trigger": "b", "notifications": 1])
        let jobs = try house.look {
            try $0.webhooks.list(endpoint: nil, trigger: nil, state: nil, before: .max, limit: 9)
        }
        #expect(jobs.map(\.trigger) == ["b"])
        #expect(jobs.map(\.chain) == ["x,a,b"])
    }

    @Test func `after a chain of four triggers nothing fires`() throws {
        let house = try House(triggers: [Self.row("a")])
        #expect(try reports("w,x,y", to: house)[0]["notifications"] == 1)
        let reports = try reports("w,x,y,z", to: house)
        #expect(reports[0]["skipped"] == "the chain w,x,y,z has 4 triggers, the most that is allowed")
    }

    @Test func `a chain is that of one write and not of the next`() throws {
        let house = try House(triggers: [Self.row("a")])
        #expect(try reports("a", to: house)[0]["skipped"] != nil)
        let reply = try house.put("items/bob", ["n": 9])
        #expect(reply["triggers"] == [["trigger": "a", "notifications": 1]])
    }
}

/// An operator's actions on webhooks and dead letters.
struct DeadLetterTests {
    private static let url = "https://hooks.example/a"

    private static func house() throws -> House {
        let house = try House(triggers: [row(url)])
        for n: Int64 in 1...3 { try house.put("items/bob", ["n": .integer(n)]) }
        return house
    }

    private static func row(_ url: String) -> JSONValue {
        [
            "name": "a", "event": "write", "path": "items/{item}", "audience": "user:{item}", "title": "t",
            "webhook": .string(url),
        ]
    }

    private func settle(_ house: House, _ job: Int64, _ outcome: WebhookAttempt.Outcome) throws {
        let tries = try #require(try house.look { try $0.webhooks.job(job)?.tries })
        let attempt = WebhookAttempt(
            job: job,
            number: tries + 1,
            at: house.now,
            status: 500,
            answer: "500 no",
            outcome: outcome
        )
        try house.write(SettleWebhooks([attempt]), by: "server")
    }

    @Test func `a webhook that gave up is listed with its last answer, and is sent again when it is retried`() throws {
        let house = try Self.house()
        try settle(house, 1, .dead(reason: "why"))
        let letter = try #require(
            try house.read(ListDead(before: nil, limit: 9), by: "admin")["dead"]?.arrayValue?.first)
        #expect(letter["kind"] == "webhook")
        #expect(letter["trigger"] == "a")
        #expect(letter["url"] == .string(Self.url))
        #expect(letter["attempts"] == 1)
        #expect(letter["status"] == 500)
        #expect(letter["answer"] == "500 no")
        #expect(letter["reason"] == "why")
        let id = try #require(letter["id"]?.integerValue)
        // The address was wrong: the row has another one now.
        try house.put(trigger: Self.row("https://other.example/"))
        let key = try house.key()
        let reply = try house.write(RetryDead(id: id, key: key), by: "admin")
        #expect(reply == ["id": .integer(id), "kind": "webhook", "queued": true])
        #expect(try house.write(RetryDead(id: id, key: key), by: "admin") == reply)
        let job = try #require(try house.look { try $0.webhooks.job(1) })
        #expect(job.state == "pending")
        #expect(try house.look { try $0.webhooks.endpoint(job.endpoint)?.url } == "https://other.example/")
        #expect(try house.read(ListDead(before: nil, limit: 9), by: "admin")["dead"] == [])
    }

    @Test func `a dead letter that is not there is said, one that is deleted is gone`() throws {
        let house = try Self.house()
        try settle(house, 1, .dead(reason: "why"))
        #expect(try house.refusal { try house.write(RetryDead(id: 99, key: nil), by: "admin") }.code == .notFound)
        #expect(try house.refusal { try house.write(DeleteDead(id: 99), by: "admin") }.code == .notFound)
        try house.write(DeleteDead(id: 1), by: "admin")
        #expect(try house.look { try $0.webhooks.job(1) } == nil)
        #expect(try house.look { try $0.webhooks.countPending() } == 2)
    }

    @Test func `letters are listed by trigger`() throws {
        let house = try Self.house()
        try settle(house, 1, .dead(reason: "why"))
        #expect(
            try house.read(ListDead(trigger: "a", before: nil, limit: 9), by: "admin")["dead"]?.arrayValue?.count == 1)
        #expect(try house.read(ListDead(trigger: "b", before: nil, limit: 9), by: "admin")["dead"] == [])
    }

    @Test func `an endpoint that is gone is disabled until it is enabled or its row is put again`() throws {
        let house = try Self.house()
        func state() throws -> JSONValue? {
            try house.read(ListWebhooks(), by: "admin")["webhooks"]?.arrayValue?.first?["state"]
        }
        #expect(try state() == "ok")
        try settle(house, 1, .gone)
        #expect(try state() == "disabled")
        // The other two became dead letters with it.
        #expect(try house.read(ListDead(before: nil, limit: 9), by: "admin")["dead"]?.arrayValue?.count == 3)
        let reply = try house.write(EnableWebhook(id: 1, key: nil), by: "admin")
        #expect(reply["wasDisabled"] == true)
        #expect(try state() == "ok")
        for id: Int64 in 1...3 { try house.write(RetryDead(id: id, key: nil), by: "admin") }
        try settle(house, 1, .gone)
        #expect(try state() == "disabled")
        try house.put(trigger: Self.row(Self.url))
        #expect(try state() == "ok")
        #expect(try house.refusal { try house.write(EnableWebhook(id: 9, key: nil), by: "admin") }.code == .notFound)
    }

    @Test func `delivered webhooks are replayed under their names, one or all from a position on`() throws {
        let house = try Self.house()
        let names = try house.look { try $0.webhooks.waiting(for: 1, limit: 9) }.map(\.name)
        for job: Int64 in 1...3 { try settle(house, job, .delivered) }
        #expect(try house.look { try $0.webhooks.countPending() } == 0)
        #expect(try house.write(ReplayWebhooks(.one(2), key: nil), by: "admin") == ["replayed": 1])
        let conflict = try house.refusal { try house.write(ReplayWebhooks(.one(2), key: nil), by: "admin") }
        #expect(conflict.code == .conflict)
        let first = try #require(try house.look { try $0.webhooks.job(1) })
        let reply = try house.write(
            ReplayWebhooks(.delivered(trigger: "a", after: first.change), key: nil), by: "admin")
        #expect(reply == ["replayed": 1])
        #expect(try house.look { try $0.webhooks.waiting(for: 1, limit: 9) }.map(\.name) == Array(names[1...]))
        let none = try house.write(
            ReplayWebhooks(.deliveredFrom(trigger: "a", house.now.adding(milliseconds: 1)), key: nil),
            by: "admin"
        )
        #expect(none == ["replayed": 0])
        #expect(try house.refusal { try house.write(ReplayWebhooks(.one(9), key: nil), by: "admin") }.code == .notFound)
    }

    @Test func `deliveries are listed newest first, by endpoint, trigger and state, page by page`() throws {
        let house = try Self.house()
        try settle(house, 1, .delivered)
        try settle(house, 2, .dead(reason: "why"))
        func list(
            _ state: String? = nil,
            endpoint: String? = nil,
            trigger: String? = nil,
            before: String? = nil,
            limit: Int = 9
        ) throws -> JSONValue {
            try house.read(
                ListWebhookDeliveries(
                    endpoint: endpoint,
                    trigger: trigger,
                    state: state,
                    before: before,
                    limit: limit
                ),
                by: "admin"
            )
        }
        #expect(try list().texts("deliveries", "state") == ["pending", "dead", "delivered"])
        #expect(try list("delivered").texts("deliveries", "id") == ["1"])
        #expect(try list(endpoint: "1", trigger: "a").texts("deliveries", "id") == ["3", "2", "1"])
        #expect(try list(endpoint: "2").texts("deliveries", "id").isEmpty)
        #expect(try list(trigger: "b").texts("deliveries", "id").isEmpty)
        let page = try list(limit: 2)
        #expect(page.texts("deliveries", "id") == ["3", "2"])
        let next = try #require(page["next"]?.stringValue)
        #expect(try list(before: next).texts("deliveries", "id") == ["1"])
        #expect(try house.refusal { try list("lost") }.field == "state")
        #expect(try house.refusal { try list(endpoint: "x") }.field == "webhook")
        #expect(try house.refusal { try list(before: "x") }.field == "before")
    }

    @Test func `a trigger's letter is not retried without the document it failed on`() throws {
        let house = try House(triggers: [
            [
                "name": "a", "event": "write", "path": "items/{item}", "audience": "user:{item}", "title": "t",
                "condition": "json_extract(after ->> 'n', '$.x')",
            ]
        ])
        try house.put("items/bob", ["n": "{"])
        let refusal = try house.refusal { try house.write(RetryDead(id: 1, key: nil), by: "admin") }
        #expect(refusal.code == .conflict)
        #expect(try house.read(ListDead(before: nil, limit: 9), by: "admin")["dead"]?.arrayValue?.count == 1)
    }
}
