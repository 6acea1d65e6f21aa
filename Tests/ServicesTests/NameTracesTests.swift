import Model
import ServicesTestSupport
import Testing

@testable import Services

/// Where the name of an erased person is found in texts, and where not.
struct NameTracesTests {
    private func traces(_ name: String = "alice") throws -> NameTraces {
        NameTraces(name: try user(name), pseudonym: try user("gone-4f2c"))
    }

    @Test(arguments: [
        ("alice", "gone-4f2c"), ("users/alice", "users/gone-4f2c"), ("users/alice/tasks/1", "users/gone-4f2c/tasks/1"),
        ("user:alice", "user:gone-4f2c"), ("user alice", "user gone-4f2c"),
        ("alice:bob", "bob:gone-4f2c"), ("aaron:alice", "aaron:gone-4f2c"),
        ("chats/alice:bob/messages/3", "chats/bob:gone-4f2c/messages/3"),
        ("recommendations/aaron:alice-12", "recommendations/aaron:gone-4f2c-12"),
        ("users/bob/followers/alice", "users/bob/followers/gone-4f2c"), ("hello alice.", "hello gone-4f2c."),
        ("alice2", "alice2"), ("users/alice-b", "users/alice-b"), ("malice", "malice"), ("", ""),
        ("chat:alice:bob", "chat:gone-4f2c:bob"), ("alice's", "gone-4f2c's"),
    ])
    func `a name is found where it stands alone`(_ text: String, _ expected: String) throws {
        #expect(try traces().rewritten(text) == expected)
        #expect(try traces().mentions(text) == (text != expected))
    }

    @Test func `a topic is no chat, even where it could be one`() throws {
        let traces = try traces("zoe")
        #expect(traces.rewritten("user:zoe") == "user:gone-4f2c")
        #expect(traces.rewritten("kim:zoe") == "gone-4f2c:kim")
        #expect(traces.rewritten(topic: "films:zoe") == "films:gone-4f2c")
        #expect(
            traces.rewritten(json: #"{"type":"followed","topic":"user:zoe","topics":["film:zoe","user:zoe"]}"#)
                == #"{"type":"followed","topic":"user:gone-4f2c","topics":["film:gone-4f2c","user:gone-4f2c"]}"#)
        #expect(
            traces.rewritten(json: #"{"type":"chat.renamed","chat":"user:zoe","to":"user:zoe"}"#)
                == #"{"type":"chat.renamed","chat":"gone-4f2c:user","to":"gone-4f2c:user"}"#)
    }

    @Test func `in JSON the values are looked at, and words for programs and texts of people stay`() throws {
        let event = #"{"seq":4,"type":"message","chat":"alice:message","from":"message","text":"message","at":"x"}"#
        #expect(
            try traces("message").rewritten(json: event)
                == #"{"seq":4,"type":"message","chat":"alice:gone-4f2c","from":"gone-4f2c","text":"message","at":"x"}"#)
        #expect(try traces().rewritten(json: #"{"from":"bob","text":"alice"}"#) == nil)
        #expect(
            try traces().rewritten(json: #"{"list":[{"user":"alice"},1,null,true]}"#)
                == #"{"list":[{"user":"gone-4f2c"},1,null,true]}"#)
        #expect(try traces().mentions(json: #"{"":{"title":"alice recommends","body":""}}"#))
        #expect(try !traces("title").mentions(json: #"{"":{"title":"x"}}"#))
    }

    @Test(arguments: [
        ("reviews/*", "reviews/1", true), ("reviews/*", "reviews/1/parts/2", false),
        ("reviews/*/parts/*", "reviews/1/parts/2", true),
        ("reviews/1", "reviews/1", true), ("reviews/1", "reviews/2", false),
    ])
    func `a star covers one part of a path`(_ pattern: String, _ path: String, _ covers: Bool) {
        #expect(DocumentGlob(pattern).isPath)
        #expect(DocumentGlob(pattern).covers(path) == covers)
    }

    @Test(arguments: ["", "*", "reviews", "reviews/*/x", "/reviews/1", "reviews//"])
    func `a text that cannot be the path of a document is no pattern`(_ pattern: String) {
        #expect(!DocumentGlob(pattern).isPath)
    }
}
