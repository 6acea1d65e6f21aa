import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

/// Audiences whose fields are missing in a document: they are nobody, and the others are notified.
struct MissingPeopleTests {
    private static func house(_ audience: JSONValue, _ more: JSONObject = [:]) throws -> House {
        var row: JSONObject = [
            "name": "absence", "event": "write", "path": "absences/{absence}", "title": "{{after.child}} is not here",
            "audience": audience,
        ]
        for (name, value) in more.members { row[name] = value }
        let house = try House(triggers: [.object(row)])
        for name in ["anna", "bruno"] { _ = try house.actor(name) }
        return house
    }

    private static let parents: JSONValue = ["user:{after.parents.0}", "user:{after.parent2}"]

    private static func dead(_ house: House) throws -> Int64 { try house.look { try $0.triggers.countDead() } }

    private static func titles(_ house: House, _ name: String) throws -> [String] {
        try house.notifications(name).texts("notifications", "title")
    }

    @Test(arguments: ["{}", #"{"parent2":null}"#, #"{"parent2":""}"#])
    func `a missing field of a list names nobody, the others are notified, and the writer is warned`(
        text: String
    ) throws {
        let house = try Self.house(Self.parents)
        var data = try #require(try JSONValue(parsing: Array(text.utf8)).objectValue)
        data["parents"] = ["anna"]
        let reply = try house.put("absences/1", data)
        #expect(try Self.titles(house, "anna").count == 1)
        #expect(try Self.dead(house) == 0)
        #expect(reply["triggers"]?.arrayValue?.first?["notifications"] == 1)
        let warning = try #require(reply.texts("warnings").first)
        #expect(warning.hasPrefix("the document is written, but fewer people are notified: {after.parent2}"))
        #expect(reply.texts("warnings").count == 1)
    }

    @Test(arguments: [parents, "user:{after.parent2}"])
    func `where nobody is left there is a dead letter, and the writer is warned`(audience: JSONValue) throws {
        let house = try Self.house(audience)
        let reply = try house.put("absences/1", ["child": "Ida"])
        #expect(try Self.dead(house) == 1)
        #expect(reply["triggers"]?.arrayValue?.first?["failed"] != nil)
        #expect(reply.texts("warnings").first?.contains("nobody is notified: {after.parent") == true)
    }

    @Test func `a field of another kind is a mistake as before`() throws {
        let house = try Self.house(Self.parents)
        let reply = try house.put("absences/1", ["parents": ["anna"], "parent2": ["bruno"]])
        #expect(try Self.titles(house, "anna").isEmpty)
        #expect(try Self.dead(house) == 1)
        #expect(reply.texts("warnings").first?.contains("neither a text nor a whole number") == true)
    }

    @Test func `topics and chats are left out in the same way, also of a notification that waits`() throws {
        let house = try Self.house(
            ["followers:class:{after.class}", "chat:{after.room}", "user:{after.parent2}"],
            ["at": "after ->> 'at'", "name": "trip"])
        try house.follow("anna", "class:3b")
        house.now = try #require(Timestamp("2026-11-21T10:00:00Z"))
        let reply = try house.put("absences/1", ["class": "3b", "at": "2026-11-21T12:00:00Z", "parent2": "bruno"])
        let warning = "the document is written, but fewer people are notified: {after.room}: there is no such field"
        #expect(reply.texts("warnings") == [warning])
        house.now = try #require(Timestamp("2026-11-21T12:00:00Z"))
        try house.write(FireDueTriggers(), by: "server")
        #expect(try Self.titles(house, "anna").count == 1 && Self.titles(house, "bruno").count == 1)
    }

    @Test func `a test of the row says which parts are nobody`() throws {
        let house = try Self.house(Self.parents)
        let test = try TestTrigger(
            name: "absence", body: ["path": "absences/1", "after": ["parents": ["anna"], "child": "Ida"]])
        let answer = try house.read(test, by: "admin")
        #expect(answer["outcome"] == "notify" && answer.texts("recipients", "user") == ["anna"])
        #expect(answer.texts("nobody") == ["{after.parent2}: there is no such field"])
    }
}
