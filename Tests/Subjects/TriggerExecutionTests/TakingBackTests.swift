import Execution
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

/// Scheduled and sent notifications are taken back by any write that ends their reason, and expired ones are not sent.
struct TakingBackTests {
    private static func row(_ more: JSONObject = [:]) -> JSONValue {
        var row: JSONObject = [
            "name": "t", "event": "write", "path": "items/{item}", "audience": "user:alice",
            "title": "{{item}}",
        ]
        for (name, value) in more.members { row[name] = value }
        return .object(row)
    }

    private static let later: JSONObject = ["at": "after->>'at'"]

    private static func put(_ house: House, _ document: JSONObject, through chain: String) throws -> JSONValue? {
        let write = DocumentWrite(path: try DocumentPath("items/x"), operation: .put(document))
        var useCase = WriteDocuments(write, key: nil)
        useCase.chain = try #require(TriggerChain(chain))
        return try house.write(useCase, by: "admin")["triggers"]?.arrayValue?.first
    }

    @discardableResult
    private static func fire(_ house: House, at time: String) throws -> AnswerFact {
        house.now = try #require(Timestamp(time))
        return try house.fact(of: FireDueTriggers(), by: "server")
    }

    private static func titles(_ house: House) throws -> [String] {
        try house.notifications("alice").texts("notifications", "title")
    }

    private static func isScheduled(_ house: House) throws -> Bool {
        try house.look { try $0.triggers.isScheduled("t", path: "items/x") }
    }

    @Test func `a write that may not fire a trigger still drops what it had scheduled`() throws {
        let house = try House(triggers: [Self.row(Self.later)])
        try house.put("items/x", ["at": "2027-01-01"])
        #expect(try Self.isScheduled(house))
        let report = try Self.put(house, ["at": "2027-02-01"], through: "t")
        #expect(
            report == [
                "trigger": "t", "skipped": "the chain t already contains it", "dropped": "2027-01-01T00:00:00.000Z",
            ])
        #expect(try !Self.isScheduled(house))
    }

    @Test func `a write that may not fire a trigger still withdraws and rearms`() throws {
        let house = try House(triggers: [
            Self.row(["condition": "after->>'a' > 1", "withdraw": "after->>'a' = 0", "rearm": "after->>'a' = 0"])
        ])
        try house.put("items/x", ["a": 2])
        let report = try Self.put(house, ["a": 0], through: "t")
        #expect(report?["withdrawn"] == 1)
        #expect(try Self.titles(house).isEmpty)
        #expect(try house.put("items/x", ["a": 3])["triggers"]?.arrayValue?.first?["notifications"] == 1)
    }

    @Test func `a change that makes the trigger fail leaves nothing scheduled for the old time`() throws {
        let house = try House(triggers: [Self.row(Self.later)])
        try house.put("items/x", ["at": "2027-01-01"])
        let failed = try house.put("items/x", ["at": "2027-03-01 at Rome"])
        #expect(failed["triggers"]?.arrayValue?.first?["failed"] != nil)
        _ = try Self.fire(house, at: "2027-01-02")
        #expect(try Self.titles(house).isEmpty)
    }

    @Test func `a notification that came due while the server was off, and has expired since, is not sent`() throws {
        let house = try House(triggers: [Self.row(["at": "after->>'at'", "ttl": 60])])
        try house.put("items/x", ["at": "2027-01-01T00:00:00Z"])
        try house.put("items/y", ["at": "2027-01-01T00:00:01Z"])
        _ = try Self.fire(house, at: "2027-01-01T00:01:00Z")
        #expect(try Self.titles(house) == ["y"])
        #expect(try !Self.isScheduled(house))
    }

    @Test func `one whose throttle cannot be read is set aside, and its letter outlives the log`() throws {
        let house = try House(triggers: [Self.row(Self.later)])
        try house.put("items/x", ["at": "2026-11-21"])
        try house.put("items/y", ["at": "2027-01-01"])
        try house.schedule(
            wanted: """
                {"audience": "user alice", "kind": "k", "level": "active", "texts": {"": {"title": "", "body": ""}},
                "data": {}, "throttle": {"max": "x"}}
                """)
        try house.trim(keeping: 1000)
        house.now = house.now.adding(milliseconds: 90_000_000)
        try house.put("items/z", ["a": 1])
        try house.trim(keeping: 1000)
        _ = try Self.fire(house, at: "2027-01-01")
        #expect(try Self.titles(house).contains("y"))
        try house.trim(keeping: 90_000_000)
        let dead = try house.read(ListDead(before: nil, limit: 9), by: "admin")
        #expect(dead.texts("dead", "trigger") == ["damaged"])
        #expect(dead.texts("dead", "reason").first?.hasPrefix("schedules.wanted: throttle") == true)
    }

    @Test(
        arguments: [
            ("audience", "user:bob"), ("webhook", "https://hooks.example/"), ("event", "create"),
        ] as [(String, JSONValue)])
    func `a row for others, or for other events, drops what was scheduled for those before`(
        _ column: String, _ value: JSONValue
    ) throws {
        let house = try House(triggers: [Self.row(Self.later)])
        try house.put("items/x", ["at": "2027-01-01"])
        try house.put(trigger: Self.row(["at": "after->>'at'", "title": "new"]))
        #expect(try Self.isScheduled(house))
        var other: JSONObject = ["at": "after->>'at'", "title": "new"]
        other[column] = value
        try house.put(trigger: Self.row(other))
        #expect(try !Self.isScheduled(house))
    }

    @Test func `a batch that is full says that more may be due`() throws {
        let house = try House(triggers: [Self.row(Self.later)])
        for n in 1...101 { try house.put("items/\(n)", ["at": "2027-01-01"]) }
        #expect(try Self.fire(house, at: "2027-01-01") == .due(isMore: true))
        #expect(try Self.fire(house, at: "2027-01-01") == .due(isMore: false))
        #expect(try house.look { try $0.triggers.nextDue() } == nil)
    }
}
