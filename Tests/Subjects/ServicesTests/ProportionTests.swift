import ClientProtocol
import JSON
import Model
import Notifying
import Services
import ServicesTestSupport
import Store
import TestSupport
import Testing

/// The writer's cost of a command is proportional to the size of the command.
struct ProportionTests {
    private static func names(_ count: Int, _ value: JSONValue) -> JSONObject {
        JSONObject(distinct: (0..<count).map { ("name\($0)", value) })
    }

    /// Members that the patch changes, adds and removes, in equal parts.
    private static func patch(_ count: Int) -> JSONObject {
        let changes = (0..<count).map { (name: "name\($0)", value: JSONValue.integer(2)) }
        let additions = (0..<count).map { (name: "other\($0)", value: JSONValue.integer(2)) }
        let removals = (count..<2 * count).map { (name: "name\($0)", value: JSONValue.null) }
        return JSONObject(distinct: changes + additions + removals)
    }

    @Test func `a patch of twice as many names costs about twice as much`() throws {
        let house = try House()
        var number = 0
        let cost = try costOfDoubling(200) { count in
            number += 1
            try house.put("items/\(number)", Self.names(2 * count, 1))
            return (path: "items/\(number)", patch: Self.patch(count))
        } _: { input in
            try house.document(input.path, .patch(input.patch))
        }
        #expect(cost < 2.6, "twice as many names cost \(cost) times as much")
    }

    @Test func `preferences that are too large are refused before the writer sees them`() throws {
        let mutes = JSONObject(distinct: (0..<16_000).map { ("p:\($0)", true) })
        let set: JSONObject = ["mute": ["topics": .object(mutes)]]
        let refusal = try #require(throws: Refusal.self) { _ = try ChangePreferences(set) }
        #expect(refusal.code == .tooLarge)
        #expect(refusal.field == "set")
        let whole = try #require(throws: Refusal.self) {
            _ = try ChangePreferences(set, of: user("alice"), replacing: true, key: nil)
        }
        #expect(whole.code == .tooLarge)
    }
}
