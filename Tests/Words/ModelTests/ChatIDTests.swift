import Model
import Testing

@Suite struct ChatIDTests {
    @Test(arguments: [
        ("alice", "bob", "alice:bob"), ("bob", "alice", "alice:bob"), ("Bob", "alice", "Bob:alice"),
        ("a", "a1", "a:a1"),
        ("a.b", "a-b", "a-b:a.b"), ("Z", "_", "Z:_"),
    ])
    func `a pair has one id, whether one or the other writes first`(one: String, other: String, text: String) throws {
        let first = try #require(UserID(one))
        let second = try #require(UserID(other))
        let chat = try #require(ChatID(between: first, and: second))
        #expect(chat.text == text)
        #expect(ChatID(text) == chat)
        #expect(chat.other(than: try #require(UserID(one)))?.text == other)
        #expect(chat.other(than: try #require(UserID(other)))?.text == one)
        #expect(chat.other(than: try #require(UserID("nobody"))) == nil)
    }

    @Test(arguments: ["bob:~4f2c", "~0000:~4f2c", "~4f2c:~4f2c0"])
    func `one of a pair may have been erased`(text: String) throws {
        let chat = try #require(ChatID(text))
        #expect(chat.text == text)
    }

    @Test func `nobody chats with himself`() throws {
        let alice = try #require(UserID("alice"))
        #expect(ChatID(between: alice, and: alice) == nil)
    }

    @Test(arguments: ["room:1", "room:a.b@c_d-e", "room:room", "room:\(String(repeating: "a", count: 64))"])
    func `a group has the id it was given`(text: String) throws {
        let chat = try #require(ChatID(text))
        #expect(chat == .room(String(text.dropFirst(5))))
        #expect(chat.text == text)
        #expect(chat.other(than: try #require(UserID("alice"))) == nil)
    }

    @Test(arguments: [
        "", ":", "alice", "alice:", ":bob", "bob:alice", "alice:alice", "alice:bob:carol", "room:", "room:a b",
        "room:a:b",
        "room:a/b", "alice:room", "a b:c", "Room:", "~4f2c:bob", "bob:~4f2", "bob:~4F2C", "bob:~",
        "room:\(String(repeating: "a", count: 65))",
    ])
    func `a text that is not a chat is refused`(text: String) {
        #expect(ChatID(text) == nil)
    }
}
