import ClientProtocol
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing

/// Reactions with an emoji that keyboards write with U+FE0F, or without: one reaction.
struct EmojiFormTests {
    private static let chat = "alice:bob"

    private func house() throws -> House {
        let house = try House()
        try house.follow("alice", "user:bob")
        try house.send("alice", "bob", "one")
        return house
    }

    private func reactions(_ house: House, _ name: String) throws -> JSONValue? {
        try house.history(name, Self.chat)["messages"]?.arrayValue?.first?["reactions"]
    }

    @Test(arguments: [("❤", "❤\u{fe0f}"), ("👍\u{fe0f}", "👍"), ("1\u{fe0f}\u{20e3}", "1\u{20e3}")])
    func `two forms of an emoji are one reaction, shown as it came first, and taken back in either`(
        first: String, second: String
    ) throws {
        let house = try house()
        try house.react("alice", Self.chat, 1, first)
        let bob = try house.connect("bob")
        try house.react("bob", Self.chat, 1, second)
        #expect(bob.events.last?["emoji"] == .string(first) && bob.events.last?["count"] == 2)
        let both: JSONValue = [["emoji": .string(first), "count": 2, "mine": true]]
        #expect(try reactions(house, "bob") == both)
        let head = house.head
        try house.react("bob", Self.chat, 1, first)
        #expect(house.head == head, "it is there in the other form")
        try house.react("bob", Self.chat, 1, first, isOn: false)
        #expect(bob.events.last?["count"] == 1 && bob.events.last?["on"] == false)
        try house.react("alice", Self.chat, 1, second, isOn: false)
        #expect(try reactions(house, "bob") == nil)
    }

    @Test func `rows of before, in two forms, count once and are taken back together`() throws {
        let house = try house()
        let (alice, bob) = (try house.entry("alice").id, try house.entry("bob").id)
        try house.storeReactions([("❤\u{fe0f}", alice), ("❤", alice), ("❤", bob)], to: 1, in: Self.chat)
        #expect(try reactions(house, "alice") == [["emoji": "❤\u{fe0f}", "count": 2, "mine": true]])
        let ok = try house.react("alice", Self.chat, 1, "❤", isOn: false)
        #expect(ok["seq"] == .integer(house.head.value))
        #expect(try reactions(house, "bob") == [["emoji": "❤", "count": 1, "mine": true]])
        try house.react("bob", Self.chat, 1, "❤\u{fe0f}", isOn: false)
        #expect(try reactions(house, "bob") == nil)
    }

    @Test func `forms of one emoji are one of the twenty kinds`() throws {
        let house = try house()
        for scalar in 0x1F600..<0x1F600 + UInt32(Limits.reactionKindsMax) {
            try house.react("alice", Self.chat, 1, String(try #require(Unicode.Scalar(scalar))))
        }
        try house.react("bob", Self.chat, 1, "\u{1F600}\u{fe0f}")
        #expect(try house.refusal { try house.react("bob", Self.chat, 1, "👍") }.code == .tooMany)
    }
}
