import Model
import Testing

@Suite struct DocumentPathTests {
    @Test(arguments: [
        ("users/alice", ["users", "alice"]), ("users/tv/followers/movie", ["users", "tv", "followers", "movie"]),
        ("people/525/credits/movie/603", ["people", "525", "credits", "movie/603"]),
        ("people/525/credits/tv/1399", ["people", "525", "credits", "tv/1399"]),
        ("products/movie/603", ["products", "movie/603"]),
        ("products/movie", ["products", "movie"]), ("movie/603", ["movie", "603"]), ("movie/tv/1", ["movie", "tv/1"]),
        ("products/movie/603/reviews/r1", ["products", "movie/603", "reviews", "r1"]),
        ("a/movie/movie", ["a", "movie/movie"]),
        ("chats/alice:bob/messages/12", ["chats", "alice:bob", "messages", "12"]),
        ("a/A-Z_a.z@0:~", ["a", "A-Z_a.z@0:~"]),
        ("recommendations/alice:bob-12", ["recommendations", "alice:bob-12"]), ("a/...", ["a", "..."]),
        (
            "a/1/b/2/c/3/d/4/e/5/f/6/g/7/h/8",
            ["a", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6", "g", "7", "h", "8"]
        ),
        (
            "a/movie/1/b/2/c/3/d/4/e/5/f/6/g/7/h/8",
            ["a", "movie/1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6", "g", "7", "h", "8"]
        ),
    ])
    func `a path is collections and ids`(text: String, expected: [String]) throws {
        let path = try DocumentPath(text)
        #expect(path.levels.flatMap { [$0.collection, $0.id] } == expected)
        #expect(path.text == text)
        #expect(path.id == expected.last)
        #expect("\(path.collection)/\(path.id)" == text)
        #expect(try DocumentPath.collection(path.collection) == path.collection)
    }

    @Test(
        arguments: [
            ("", .empty), ("users", .collectionOnly), ("people/525/credits", .collectionOnly),
            ("a/movie/1/b", .collectionOnly),
            ("/users/alice", .emptySegment), ("users/alice/", .emptySegment), ("users//alice", .emptySegment),
            ("/", .emptySegment),
            ("a/.", .character(segment: ".")), ("a/..", .character(segment: "..")), ("../a", .character(segment: "..")),
            ("a/b c", .character(segment: "b c")), ("a/ä", .character(segment: "ä")),
            ("a/{x}", .character(segment: "{x}")),
            ("a/b\u{0}", .character(segment: "b\u{0}")), ("a/b%2F", .character(segment: "b%2F")),
            ("a/b?", .character(segment: "b?")),
            ("a/1/b/2/c/3/d/4/e/5/f/6/g/7/h/8/i/9", .tooDeep), ("a/" + String(repeating: "x", count: 1023), .tooLong),
        ] as [(String, DocumentPath.Problem)]
    )
    func `a text that is not a path is refused with a reason`(text: String, problem: DocumentPath.Problem) {
        #expect(throws: problem) { try DocumentPath(text) }
        #expect(!problem.message.isEmpty)
    }

    @Test func `a path may have exactly its greatest length`() throws {
        #expect(try DocumentPath("a/" + String(repeating: "x", count: 1022)).text.utf8.count == 1024)
    }

    @Test(arguments: ["users", "people/525/credits", "products/movie/603/reviews", "movie", "people/1/movie"])
    func `a collection lies in a document or at the top`(text: String) throws {
        #expect(try DocumentPath.collection(text) == text)
    }

    @Test(arguments: ["", "users/alice", "products/movie/603", "products/movie", "users/", "a b", "/", ".."])
    func `a text that is not a collection is refused`(text: String) {
        #expect(throws: DocumentPath.Problem.self) { try DocumentPath.collection(text) }
    }
}
