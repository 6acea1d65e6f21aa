import Execution
import JSON
import Model
import Notifying
import Privacy
import Services
import ServicesTestSupport
import Testing

@testable import ClientProtocol

/// An export has nothing of others that its person may not read.
struct ExportOfOthersTests {
    @Test func `deleted and edited texts of others stay out, also by way of a report`() throws {
        let house = try House()
        try house.follow("bob", "user:alice")
        try house.send("bob", "alice", "REGRETTED")
        try house.send("bob", "alice:bob", "DRAFT")
        try house.edit("bob", "alice:bob", 2, "second")
        try house.send("alice", "alice:bob", "my own")
        try house.report("alice", "bob", in: "alice:bob", n: 2)
        try house.delete("bob", "alice:bob", 1)
        let lines = try house.export(of: "alice")
        let report = try #require(lines.first { $0["kind"] == "report" })
        let messages = try #require(report["messages"]?.arrayValue)
        #expect(messages.map { $0["n"] } == [1, 2, 3])
        #expect(messages.map { $0["from"] } == ["bob", "bob", "alice"])
        #expect(messages.map { $0["text"] } == [nil, nil, "my own"])
        let text = JSONValue.array(lines).text
        for word in ["REGRETTED", "DRAFT"] { #expect(!text.contains(word), "\(word)") }
        #expect(text.contains("second"), "the message as it is now")
        #expect(!text.contains("reports/"), "the document of a report is the moderators'")
    }

    @Test func `a document elsewhere is as the person wrote it, also when somebody else has it now`() throws {
        let house = try House()
        for name in ["alice", "bob"] { _ = try house.actor(name) }
        let rules: JSONObject = ["rules": ["notes/{note}": ["read": "field:owner", "write": "field:owner"]]]
        try house.write(PutRules(rules, ifVersion: nil, key: nil), by: "admin")
        func put(_ name: String, _ path: String, _ text: String) throws {
            let data: JSONObject = ["owner": .string(name), "text": .string(text)]
            try house.write(
                WriteDocuments(DocumentWrite(path: DocumentPath(path), operation: .put(data)), key: nil), by: name)
        }
        try put("alice", "notes/1", "first")
        try put("alice", "notes/1", "second")
        try house.put("notes/1", ["owner": "bob", "text": "BOBS OWN"])
        try put("bob", "notes/1", "BOBS OWN, TOO")
        try put("alice", "notes/2", "of alice")
        // The person has deleted it, and somebody else has made it again.
        try put("alice", "notes/3", "gone")
        try house.delete("notes/3")
        try house.put("notes/3", ["owner": "bob", "text": "BOBS NEW"])
        func documents(of name: String) throws -> [JSONValue] {
            try house.export(of: name).filter { $0["kind"] == "document" }
        }
        let found = try documents(of: "alice")
        #expect(found.map { $0["path"] } == ["notes/1", "notes/2", "notes/3"])
        #expect(found.map { $0["data"]?["text"] } == ["second", "of alice", "gone"])
        #expect(found.map { $0["version"] } == [2, 1, 1])
        #expect(try documents(of: "bob").map { $0["data"]?["text"] } == ["BOBS OWN, TOO"])
    }

    @Test func `bans and mutes of rooms, and notifications that come back, are in the export of their person alone`()
        throws
    {
        let house = try House()
        let (left, closed) = (
            try house.room("alice", ["carol"], isOpen: true), try house.room("alice", ["carol"], isOpen: true)
        )
        let hour = house.now.adding(milliseconds: 3_600_000)
        try house.mute("alice", left, "carol", until: hour)
        try house.leave("carol", left)
        try house.remove("alice", closed, "carol", ban: true, until: hour)
        try house.broadcast("user:carol", "for carol")
        let newest = try #require(try house.notifications("carol").texts("notifications", "id").first)
        try house.write(SnoozeNotifications(SnoozeCommand(ids: [newest], until: hour)), by: "carol")
        func lines(of name: String, _ kind: String) throws -> [JSONValue] {
            try house.export(of: name).filter { $0["kind"]?.stringValue == kind }
        }
        let restraints = try lines(of: "carol", "restraint")
        #expect(restraints.map { $0["room"] } == [.string(left)])
        #expect(restraints.map { $0["mutedUntil"] } == [.string(hour.text)])
        let bans = try lines(of: "carol", "ban")
        #expect(bans.map { $0["room"] } == [.string(closed)])
        #expect(bans.map { $0["until"] } == [.string(hour.text)])
        let snoozes = try lines(of: "carol", "snooze")
        #expect(snoozes.map { $0["notification"] } == [.string(newest)])
        #expect(snoozes.map { $0["until"] } == [.string(hour.text)])
        for kind in ["restraint", "ban", "snooze"] { #expect(try lines(of: "alice", kind).isEmpty) }
    }
}
