import JSON
import Model
import PersonalData
import ServicesTestSupport
import Testing

@testable import Privacy

/// Which values stand for an erased person, and which have only the same characters.
struct NameTracesTests {
    private func traces(_ name: String = "alice") throws -> NameTraces {
        NameTraces(name: try user(name), pseudonym: try #require(UserID(pseudonym: "4f2c")))
    }

    @Test(arguments: [
        ("users/alice", "users/~4f2c"), ("users/alice/tasks/1", "users/~4f2c/tasks/1"),
        ("chats/alice:bob/messages/3", "chats/bob:~4f2c/messages/3"),
        ("recommendations/aaron:alice-12", "recommendations/aaron:~4f2c-12"),
        ("users/bob/followers/alice", "users/bob/followers/~4f2c"),
        ("people/525/followers/alice", "people/525/followers/~4f2c"),
        ("roles/librarian/users/alice", "roles/librarian/users/~4f2c"),
        ("users/alice2", "users/alice2"), ("users/alice-b", "users/alice-b"), ("stations/alice", "stations/alice"),
        ("alice/7", "alice/7"), ("reviews/alice/parts/1", "reviews/alice/parts/1"),
        ("teams/1/users/alice", "teams/1/users/alice"), ("chats/room:alice/messages/1", "chats/room:alice/messages/1"),
        ("films/1/followers/alice/notes/1", "films/1/followers/alice/notes/1"), ("users", "users"), ("", ""),
    ])
    func `a path has the person in it where a level is a user or a chat of two`(_ path: String, _ expected: String)
        throws
    {
        #expect(try traces().rewritten(path: path) == expected)
        #expect(try traces().isIn(path: path) == (path != expected))
    }

    @Test func `a topic is the person's when its kind says so`() throws {
        let traces = try traces("400")
        #expect(traces.rewritten(topic: "user:400") == "user:~4f2c")
        for topic in ["station:400", "user:4000", "film:user/400", "everyone"] {
            #expect(traces.rewritten(topic: topic) == topic)
        }
        #expect(traces.rewritten(stream: "user:400 Europe/Rome") == "user:~4f2c Europe/Rome")
        #expect(traces.rewritten(stream: "station:400 Europe/Rome") == "station:400 Europe/Rome")
        #expect(traces.rewritten(stream: "documents/users/400/tasks") == "documents/users/~4f2c/tasks")
        #expect(traces.rewritten(stream: "document/users/400") == "document/users/~4f2c")
        #expect(traces.rewritten(stream: "document/stations/400") == "document/stations/400")
        #expect(traces.rewritten(stream: "documents/400") == "documents/400")
    }

    @Test func `a chat of two is known from a room, and from a topic with the same text`() throws {
        let traces = try traces("zoe")
        #expect(traces.rewritten(chat: "kim:zoe") == "kim:~4f2c")
        #expect(traces.rewritten(chat: "user:zoe") == "user:~4f2c")
        #expect(traces.rewritten(chat: "room:zoe") == "room:zoe")
        #expect(traces.rewritten(chat: "kim:zoe2") == "kim:zoe2")
    }

    @Test func `in JSON the members that hold people are looked at, and nothing else`() throws {
        let event = #"{"seq":4,"type":"message","chat":"alice:message","from":"message","text":"message","at":"x"}"#
        #expect(
            try traces("message").rewritten(json: event)
                == #"{"seq":4,"type":"message","chat":"alice:~4f2c","from":"~4f2c","text":"message","at":"x"}"#)
        let followed = #"{"type":"followed","topic":"user:zoe","topics":["film:zoe","user:zoe"]}"#
        #expect(
            try traces("zoe").rewritten(json: followed)
                == #"{"type":"followed","topic":"user:~4f2c","topics":["film:zoe","user:~4f2c"]}"#)
        let renamed = #"{"type":"chat.renamed","chat":"user:zoe","to":"user:zoe"}"#
        #expect(
            try traces("zoe").rewritten(json: renamed)
                == #"{"type":"chat.renamed","chat":"user:~4f2c","to":"user:~4f2c"}"#)
        let room = #"{"type":"room","users":["alice","42"],"by":"bob","room":{"title":"42","members":42}}"#
        #expect(
            try traces("42").rewritten(json: room)
                == #"{"type":"room","users":["alice","~4f2c"],"by":"bob","room":{"title":"42","members":42}}"#)
        for stays in [
            #"{"type":"document","path":"boards/7","data":{"user":"alice","column":"alice"}}"#,
            #"{"type":"reaction","at":"2026-11-28T14:alice:40.114Z","emoji":"alice"}"#,
            #"{"type":"notification.seen","ids":["alice"]}"#, #"{"from":"bob","text":"alice"}"#,
        ] { #expect(try traces().rewritten(json: stays) == nil) }
        #expect(
            try traces().rewritten(json: #"{"documents":[{"path":"users/alice"},{"path":"films/alice"}]}"#)
                == #"{"documents":[{"path":"users/~4f2c"},{"path":"films/alice"}]}"#)
    }

    @Test(arguments: [
        ("alice", "users/alice", "users/~4f2c"), ("users", "users/users/kick", "users/~4f2c/kick"),
        ("users", "users/alice", "users/alice"), ("triggers", "triggers/triggers", "triggers/triggers"),
        ("alice", "documents/users/alice/tasks/1", "documents/users/~4f2c/tasks/1"),
        ("alice", "documents/films/alice", "documents/films/alice"),
        ("alice", "publish/user:alice", "publish/user:~4f2c"),
        ("alice", "chats/alice:bob", "chats/bob:~4f2c"), ("rules", "rules", "rules"),
    ])
    func `a row of the audit is about the person where its target is a user`(
        _ name: String, _ target: String, _ expected: String
    ) throws {
        #expect(try traces(name).rewritten(target, as: .target) == expected)
    }

    @Test func `a detail of the audit is a person in few members`() throws {
        let detail = #"{"user":"42","from":"42","reason":"42"}"#
        #expect(
            try traces("42").rewritten(detail, as: .detail)
                == #"{"user":"~4f2c","from":"42","reason":"42"}"#)
        let trigger = #"{"path":"users/42/{part}/{id}","audience":"user:42, followers:user:42, chat:42:bob, film:42"}"#
        #expect(
            try traces("42").rewritten(trigger, as: .detail)
                == #"{"path":"users/~4f2c/{part}/{id}","audience":"user:~4f2c, followers:user:~4f2c, chat:bob:~4f2c, film:42"}"#
        )
        let replay = #"{"collection":"users/42/notes","leftOut":42,"path":["42"]}"#
        #expect(
            try traces("42").rewritten(replay, as: .detail)
                == #"{"collection":"users/~4f2c/notes","leftOut":42,"path":["42"]}"#)
        for stays in ["", "42", "[42]", #"{"path":"films/{42}","audience":"everyone"}"#] {
            #expect(try traces("42").rewritten(stays, as: .detail) == stays)
        }
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
