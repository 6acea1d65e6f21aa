import ClientProtocol
import Execution
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing

struct AccessRulesTests {
    /// The rules of the five applications, and some special cases.
    private static let table: JSONObject = [
        "users/{user}": ["read": "public", "write": "owner"],
        "users/{user}/tasks/{task}": "owner",
        "stations/{id}": "public", "stations/secret": "server",
        "resorts/{resort}/**": "followers",
        "people/{person}/credits/{product}": "public",
        "announcements/{id}": "followers",
        "reviews/{id}": ["read": "followers", "write": "server"],
        "boards/{user}/cards/{card}": ["read": ["owner", "followers"], "write": "owner"],
        "a/{x}/b/{y}": "public", "a/1/**": "server", "a/1/b/{y}/c/{z}": "public",
    ]

    private static func grant(_ path: String, _ name: String = "alice") throws -> ReadGrant? {
        let watched: WatchedPath =
            if let document = try? DocumentPath(path) { .document(document) } else { .collection(path) }
        return try AccessRules(table).grant(of: watched, to: user(name), TopicCollections())
    }

    @Test(
        arguments: [
            ("users/bob", .always), ("users/alice/tasks/1", .always), ("users/bob/tasks/1", nil),
            ("users/alice/tasks", .always), ("users/bob/tasks", nil), ("users", .always), ("stations/1", .always),
            ("stations/secret", nil), ("stations", nil), ("stations/1/x/2", nil), ("resorts/7", nil),
            ("resorts/7/lifts/1", "resort:7"), ("resorts/7/lifts", "resort:7"), ("resorts/7/a/1/b/2", "resort:7"),
            ("announcements/1", "announcement:1"), ("announcements", nil),
            ("people/525/credits/movie/603", .always), ("people/525/credits", .always), ("nothing/1", nil),
            ("nothing", nil), ("boards/bob/cards/1", "board:bob"), ("boards/alice/cards", .always),
            ("a/2/b/1", .always), ("a/1/b/1", nil), ("a/1/b/1/c/1", .always), ("a/1/b", nil), ("a/2/b", .always),
            ("chats/alice:bob/messages/1", nil), ("recommendations/alice:bob-1", nil), ("users/bob/followers", nil),
            ("users/bob/followers/alice", nil),
        ] as [(String, Grant?)]
    )
    func `the most specific pattern decides who reads`(path: String, granted: Grant?) throws {
        #expect(try Self.grant(path) == granted?.grant)
    }

    /// A grant with a shorter spelling.
    struct Grant: Sendable, ExpressibleByStringLiteral {
        let grant: ReadGrant
        static let always = Grant(grant: .always)

        init(grant: ReadGrant) { self.grant = grant }

        init(stringLiteral text: String) {
            grant = Topic(text).map { .whileFollowing($0) } ?? .always
        }
    }

    @Test(
        arguments: [
            ("users/alice", true), ("users/bob", false), ("users/alice/tasks/1", true), ("users/bob/tasks/1", false),
            ("stations/1", false), ("boards/alice/cards/1", true), ("boards/bob/cards/1", false),
            ("users/alice/tasks/1/notes/1", false), ("resorts/7/lifts/1", false), ("users/bob/followers/alice", false),
            ("chats/alice:bob/messages/1", false), ("nothing/1", false),
        ]
    )
    func `only owners write, where the pattern says so`(path: String, isAllowed: Bool) throws {
        let rules = try AccessRules(Self.table)
        #expect(try rules.writeGrant(of: DocumentPath(path), to: user("alice")) == (isAllowed ? .always : nil))
    }

    @Test func `users count among their own followers`() throws {
        let rules = try AccessRules(["users/{id}/**": "followers"])
        let path = WatchedPath.document(try DocumentPath("users/alice/albums/1"))
        #expect(rules.grant(of: path, to: try user("alice"), TopicCollections()) == .always)
        let ofBob = rules.grant(of: path, to: try user("bob"), TopicCollections())
        #expect(ofBob == .whileFollowing(try topic("user:alice")))
    }

    @Test(
        arguments: [
            (["a": "public"], "a"), (["a/{x}": "everybody"], "a/{x}"), (["a/{x}": 5], "a/{x}"),
            (["a/{x}": "owner"], "a/{x}"), (["a/{x}": ["write": "owner"]], "a/{x}"),
            (["a/{user}": ["write": "public"]], "a/{user}.write"), (["a/{x}": ["read": 5]], "a/{x}.read"),
            (["a/{x}": ["read": ["public", "all"]]], "a/{x}.read"), (["a/{x}": ["reads": "public"]], "a/{x}.reads"),
            (["a/{x}": "public", "a/{y}": "server"], "a/{y}"),
            (["a/{x}/**": "public", "a/{y}/**": "server"], "a/{y}/**"),
            (["/**": "public"], "/**"), (["a/{x}y": "public"], "a/{x}y"), (["chats/{x}": "public"], "chats/{x}"),
            (["recommendations/{x}": "public"], "recommendations/{x}"),
            (["users/{user}/followers/{x}": "owner"], "users/{user}/followers/{x}"),
        ] as [(JSONObject, String)]
    )
    func `a wrong rule is refused with its place`(table: JSONObject, field: String) throws {
        let problem = try #require(throws: AccessProblem.self) { _ = try AccessRules(table) }
        #expect(problem.field == field)
        #expect(!problem.message.isEmpty)
    }

    @Test func `a table has a bounded number of patterns`() throws {
        let many = (0...DocumentLimits.accessRulesMax).map { (name: "c\($0)/{id}", value: JSONValue.string("public")) }
        #expect(throws: AccessProblem.self) { _ = try AccessRules(JSONObject(many)) }
        _ = try AccessRules(JSONObject(many.dropLast()))
    }

    @Test func `a table is put in versions, and a repeated put is one`() throws {
        let house = try House()
        #expect(try house.read(ReadRules(), by: "admin") == ["version": 0, "rules": [:]])
        let body: JSONObject = ["rules": ["stations/{id}": "public"]]
        let put = try PutRules(body, ifVersion: 0, key: writeKey("k"))
        let first = try house.write(put, by: "admin")
        #expect(first["version"] == 1)
        #expect(try house.write(put, by: "admin") == first)
        let stale = try house.refusal { try house.write(PutRules(["rules": [:]], ifVersion: 0, key: nil), by: "admin") }
        #expect(stale.code == .conflict)
        #expect(try house.read(ReadRules(), by: "admin")["rules"] == ["stations/{id}": "public"])
        try house.write(PutRules(["rules": [:]], ifVersion: 1, key: nil), by: "admin")
        #expect(try house.read(ReadRules(), by: "admin") == ["version": 2, "rules": [:]])
    }

    @Test func `a document that does not exist and one that may not be read get the same answer`() throws {
        let house = try House()
        try house.write(
            PutRules(["rules": ["users/{user}/tasks/{task}": "owner"]], ifVersion: nil, key: nil), by: "admin")
        try house.put("users/bob/tasks/1", ["title": "secret"])
        try house.put("items/1", [:])
        var answers: Set<String> = []
        for path in ["users/bob/tasks/1", "users/bob/tasks/2", "items/1", "items/2", "users/alice/tasks/9"] {
            let refused = try house.refusal { try house.read(ReadDocument(DocumentPath(path)), by: "alice") }
            #expect(refused.code == .notFound)
            answers.insert(refused.message.replacing(path, with: ""))
        }
        #expect(answers.count == 1)
        #expect(try house.read(ReadDocument(DocumentPath("users/bob/tasks/1")), by: "bob")["version"] == 1)
    }

    @Test func `messages and recommendations are read by members, follows by everybody`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "user:bob")
        try house.recommend("alice", "bob")
        for path in ["chats/alice:bob/messages/1", "recommendations/alice:bob-1"] {
            for name in ["alice", "bob"] {
                #expect(try house.read(ReadDocument(DocumentPath(path)), by: name)["data"]?["from"] == "alice")
            }
            let refused = try house.refusal(of: ["eve"]) { try house.read(ReadDocument(DocumentPath(path)), by: "eve") }
            #expect(refused.code == .notFound)
        }
        let follow = try house.read(ReadDocument(DocumentPath("users/bob/followers/alice")), by: "eve")
        #expect(follow["data"]?["follower"] == "alice")
    }
}
