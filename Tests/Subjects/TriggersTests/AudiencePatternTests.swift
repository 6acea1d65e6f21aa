import JSON
import Testing
import Triggers

private let after: JSONValue = [
    "author": "alice", "n": 7, "rate": 4.5, "nothing": nil, "deep": ["to": "bob"], "bad": "no one", "chat": "alice:bob",
    "queue": ["erin", "frank"], "place": "a/b", "product": ["id": "movie/603"],
]

@Suite struct AudiencePatternTests {
    @Test(arguments: [
        ("everyone", "everyone"), ("user:alice", "user:alice"), ("user:{user}", "user:carol"),
        ("user:{after.author}", "user:alice"), ("user:{after.deep.to}", "user:bob"), ("user:u{after.n}", "user:u7"),
        ("followers:feed:announcements", "followers:feed:announcements"),
        ("followers:person:{person}", "followers:person:525"),
        ("followers:product:{product}", "followers:product:movie/603"),
        ("followers:user:{after.author}", "followers:user:alice"), ("chat:{after.chat}", "chat:alice:bob"),
        ("chat:{user}:{after.author}", "chat:alice:carol"), ("chat:room:{person}", "chat:room:525"),
        ("user:{before.was}", "user:dora"), ("user:{after.queue.1}", "user:frank"),
        ("followers:place:{after.place}", "followers:place:a/b"),
        ("followers:reviews:{after.product.id}/{after.author}", "followers:reviews:movie/603/alice"),
    ])
    func `an audience is resolved for a change`(pattern: String, expected: String) throws {
        let names = ["user": "carol", "person": "525", "product": "movie/603"]
        let audience = try AudiencePattern(pattern, names: Array(names.keys))
            .resolve(names: names, before: ["was": "dora"], after: after)
        #expect(audience.description == expected)
    }

    @Test(arguments: [
        ("user:{after.missing}", "{after.missing}: there is no such field"),
        ("user:{after.author.name}", "{after.author.name}: there is no such field"),
        ("user:{after.queue.2}", "{after.queue.2}: there is no such field"),
        ("user:{after.nothing}", "{after.nothing} is null"),
        ("user:{after.rate}", "{after.rate} is neither a text nor a whole number"),
        ("user:{after.deep}", "{after.deep} is neither a text nor a whole number"),
        ("user:{after.bad}", "'no one' is not a user id: 1 to 128 of A-Z a-z 0-9 _ . @ -, and neither . nor .."),
        ("user:{before.was}", "{before.was}: there is no document before this change"),
        ("followers:place:{after.place}/{after.n}", "'a/b' is more than one part, and {after.place} is one"),
        ("chat:{after.chat}:{after.author}", "'alice:bob' is more than one part, and {after.chat} is one"),
        (
            "chat:{after.author}:{after.author}",
            "'alice:alice' is not a chat: the two user ids sorted and joined by ':' or room:ID"
        ),
    ])
    func `an audience that cannot be resolved is explained`(pattern: String, message: String) throws {
        let audience = try AudiencePattern(pattern, names: [])
        let problem = #expect(throws: PatternProblem.self) {
            try audience.resolve(names: [:], before: nil, after: after)
        }
        #expect(problem?.message == message)
    }

    @Test(
        arguments: [
            ("", 1), ("nobody", 1), ("User:a", 1), ("user:", 6), ("chat:", 6), ("followers:person", 11),
            ("followers:Person:1", 11),
            ("followers:person:", 18), ("user:{usr}", 6), ("user:x{usr}", 7), ("user:{user", 6), ("user:user}", 10),
            ("user:{}", 6), ("user:{after}", 6), ("user:{after.}", 6), ("user:{user.name}", 6), ("user:{now}", 6),
            ("user:{{user}}", 6), ("user:no one", nil), ("chat:alice", nil), ("everyone:x", 1),
        ] as [(String, Int?)]
    )
    func `a text that is not an audience is refused with its place`(text: String, character: Int?) {
        let problem = #expect(throws: PatternProblem.self) { try AudiencePattern(text, names: ["user"]) }
        #expect(problem?.character == character)
    }

    @Test(arguments: [
        "user:user {user}", "user:{user}/x", "followers:person:no one {user}", "chat:room {user}", "chat:{user}:a:b",
        "chat:no one:{user}",
    ])
    func `an audience that can never be anybody, whatever stands in its braces, is refused`(text: String) {
        let problem = #expect(throws: PatternProblem.self) { try AudiencePattern(text, names: ["user"]) }
        #expect(problem?.message.hasPrefix("'\(text)' names nobody, whatever the braces contain") == true)
    }

    @Test(arguments: [
        "chat:{user}", "chat:room:{user}", "chat:{user}:{other}", "chat:room:{user}-{other}", "chat:bob:{user}",
        "user:{user}{other}", "user:u-{user}@x", "followers:product:movie/{user}",
    ])
    func `an audience that can name somebody is accepted`(text: String) {
        #expect(throws: Never.self) { try AudiencePattern(text, names: ["user", "other"]) }
    }

    @Test func `a create has no document before and a delete none after`() {
        #expect(throws: PatternProblem.self) { try AudiencePattern("user:{before.a}", names: [], event: .create) }
        #expect(throws: PatternProblem.self) { try AudiencePattern("user:{after.a}", names: [], event: .delete) }
        #expect(throws: Never.self) { try AudiencePattern("user:{before.a}", names: [], event: .delete) }
    }
}
