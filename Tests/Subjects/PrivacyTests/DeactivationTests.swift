import Execution
import JSON
import Model
import Notifying
import Privacy
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

@testable import ClientProtocol

/// Accounts of people who have left: closed, and opened again.
@Suite struct DeactivationTests {
    private let house: House

    init() throws {
        house = try House(triggers: [
            [
                "name": "remind", "event": "write", "path": "tasks/{task}", "at": "after ->> 'due'",
                "audience": ["user:{after.who}", "user:{after.other}"], "title": "Due: {{after.name}}",
            ]
        ])
        for name in ["alice", "bob"] { _ = try house.actor(name) }
    }

    private func close(_ name: String, isOn: Bool = true) throws -> JSONValue {
        try house.write(DeactivateUser(user(name), isOn: isOn, key: house.key()), by: "admin")
    }

    private func standing(_ name: String) throws -> JSONValue {
        try house.read(ReadStanding(of: user(name), .restrictions), by: "admin")
    }

    private func remind(_ task: String, _ who: String, _ other: String) throws {
        let due = house.now.adding(milliseconds: 3_600_000)
        try house.put(
            "tasks/\(task)",
            ["who": .string(who), "other": .string(other), "name": "for user bob", "due": .string(due.text)])
    }

    @Test func `registrations and scheduled texts end, and everything else stays`() throws {
        try house.addDevice(of: "bob")
        try house.addDevice(of: "alice")
        try house.follow("bob", "user:alice")
        try house.send("bob", "alice", "before")
        try remind("1", "bob", "bob")
        try remind("2", "bob", "alice")
        try remind("3", "alice", "alice")
        let pending = { try self.house.look { try $0.triggers.page(after: nil, limit: 10).map(\.path).sorted() } }
        #expect(try pending() == ["tasks/1", "tasks/2", "tasks/3"])
        let answer = try close("bob")
        #expect(answer["deactivated"] == true && answer["devices"] == 1 && answer["scheduled"] == 2)
        #expect(try pending() == ["tasks/2", "tasks/3"])
        #expect(try house.read(ListDevices(), by: "bob")["devices"] == [])
        #expect(try house.read(ListDevices(), by: "alice")["devices"]?.arrayValue?.count == 1)
        // Others write on, and it waits.
        try house.send("alice", "alice:bob", "after")
        house.now = house.now.adding(milliseconds: 3_600_000)
        try house.write(FireDueTriggers(), by: "server")
        #expect(try house.notifications("bob").texts("notifications", "title") == [])
        #expect(try house.notifications("alice").texts("notifications", "title").count == 2)
        #expect(try close("bob", isOn: false)["deactivated"] == false)
        #expect(try house.history("bob", "alice:bob").texts("messages", "text") == ["before", "after"])
        #expect(try house.read(ListFollowing(FollowingCommand()), by: "bob")["topics"] == ["user:alice"])
    }

    @Test func `the standing says it, and it is no restriction`() throws {
        let open = try standing("bob")
        #expect(open["deactivated"] == nil)
        try house.restrict("bob", .mute)
        _ = try close("bob")
        let closed = try standing("bob")
        #expect(closed["restrictions"]?.arrayValue?.count == 1)
        #expect(closed["deactivated"] == ["at": .string(house.now.text), "by": "admin"])
        // The end of all restrictions opens no account.
        #expect(try house.write(EndRestriction(user("bob"), nil), by: "admin")["ended"] == ["mute"])
        #expect(try standing("bob")["deactivated"] != nil)
        _ = try close("bob", isOn: false)
        #expect(try standing("bob") == open)
    }

    @Test func `all nodes hear of it once, and a repetition changes nothing`() throws {
        _ = try close("bob")
        let head = house.head
        guard case .change(.banned(let closed))? = house.commits.last?.first else {
            Issue.record("\(String(describing: house.commits.last))")
            return
        }
        #expect(closed.kind == .deactivated && closed.user.text == "bob" && closed.until == nil)
        #expect(try house.look { try $0.restrictions.keptOut() } == [closed])
        #expect(try close("bob") == ["user": "bob", "deactivated": true, "seq": .integer(head.value)])
        _ = try close("bob", isOn: false)
        #expect(try house.look { try $0.restrictions.keptOut() } == [])
        #expect(try house.refusal { try close("nobody") }.code == .notFound)
    }

    @Test func `everyone counts nobody who may not come in`() throws {
        func size() throws -> Int64? {
            try house.read(PreviewBroadcast(house.order("everyone")), by: "admin")["size"]?.integerValue
        }
        let all = try #require(try size())
        _ = try close("bob")
        #expect(try size() == all - 1)
        try house.restrict("bob", .ban)
        try house.restrict("alice", .ban, until: house.now.adding(milliseconds: 1000))
        #expect(try size() == all - 2)
        house.now = house.now.adding(milliseconds: 1000)
        #expect(try size() == all - 1)
        _ = try close("bob", isOn: false)
        #expect(try size() == all - 1, "still banned")
    }

    @Test func `an erasure takes a closed account, and the name may come in again`() throws {
        _ = try close("bob")
        _ = try house.erase("bob")
        #expect(try house.look { try $0.restrictions.keptOut() } == [])
        let lifted = house.commits.flatMap { $0 }.contains {
            if case .change(.banLifted(let user, .deactivated)) = $0 { user.text == "bob" } else { false }
        }
        #expect(lifted)
    }
}
