import JSON
import Server
import TestSupport
import Testing

/// Every command that the server knows, with values that it must refuse, over a real connection: the error is clear and
/// names the field, nothing is written, and the connection stays open.
struct BadCommandTests {
    /// One command, the wrong field, and why it is wrong.
    struct Bad: Sendable, CustomTestStringConvertible {
        let command: JSONValue
        let field: String
        var testDescription: String { "\(field): \(command.text.prefix(90))" }

        init(_ field: String, _ command: JSONValue) {
            self.command = command
            self.field = field
        }
    }

    @Test func `every bad command is refused naming its field, writes nothing and leaves the connection open`() throws {
        // A server of its own, so that no other test changes its log.
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let device = try server.device("alice", "phone")
        let admin = try server.admin()
        let before = try admin.head()
        for bad in Self.all {
            let error = try device.refused(bad.command)
            #expect(error["code"] == "bad-request", "\(bad.testDescription) \(error.text)")
            #expect(error["class"] == "permanent", "\(bad.testDescription)")
            #expect(error["field"] == .string(bad.field), "\(bad.testDescription) \(error.text)")
            #expect(error["message"]?.stringValue?.isEmpty == false)
        }
        try device.settle()
        #expect(try admin.head() == before)
        #expect(device.durable.isEmpty)
    }

    static let all: [Bad] = identifiers + messages + lists + documents + others

    private static let long = JSONValue.string(String(repeating: "x", count: 4001))
    private static let wrongChats: [JSONValue] = ["", "bob:alice", "alice", "alice:", 7, .null, [], "room:"]

    /// Each wrong value of a field in turn, in an otherwise right command.
    private static func each(_ field: String, of values: [JSONValue], in command: JSONValue) -> [Bad] {
        values.map { value in
            var command = command
            command[field] = value
            return Bad(field, command)
        }
    }

    private static let identifiers: [Bad] = {
        let keys: [JSONValue] = ["", "with space", .string(String(repeating: "k", count: 65)), 5, .null, "ü"]
        let users: [JSONValue] = ["", "a b", .string(String(repeating: "u", count: 129)), 5, .null, ["bob"], "ü"]
        let topics: [JSONValue] = [
            "", "user", "User:bob", "user:", 5, .null, .string("x:" + String(repeating: "i", count: 201)),
        ]
        let recommend: JSONValue = ["type": "recommend", "to": "bob", "product": ["id": "movie/1"], "key": "k"]
        let send: JSONValue = ["type": "send", "chat": "alice:bob", "text": "x", "key": "k"]
        return each("key", of: keys, in: recommend) + each("key", of: keys, in: send)
            + each("to", of: users, in: recommend)
            + each("to", of: users.filter { $0 != .null }, in: ["type": "send", "text": "x", "key": "k"])
            + each("topic", of: topics, in: ["type": "follow"]) + each("topic", of: topics, in: ["type": "unfollow"])
            + each("topic", of: topics.filter { $0 != .null }, in: ["type": "followers"])
            + each("key", of: keys.filter { $0 != .null }, in: ["type": "follow", "topic": "station:1"])
            + each("chat", of: wrongChats, in: ["type": "read", "n": 1])
            + each("chat", of: wrongChats, in: ["type": "typing", "on": true])
            + each("chat", of: wrongChats, in: ["type": "history"])
            + each("chat", of: wrongChats.filter { $0 != .null }, in: ["type": "focus", "on": true])
            + [
                Bad("topic", ["type": "follow"]), Bad("topic", ["type": "unfollow"]),
                Bad("topic", ["type": "follow", "topic": "user:alice"]),
                Bad("to", ["type": "recommend", "product": ["id": "movie/1"], "key": "k"]),
                Bad("to", ["type": "recommend", "to": "alice", "product": ["id": "movie/1"], "key": "k"]),
            ]
    }()

    private static let messages: [Bad] = {
        let send: JSONValue = ["type": "send", "chat": "alice:bob", "text": "x", "key": "k"]
        let product: JSONValue = ["id": "movie/1"]
        let recommend: JSONValue = ["type": "recommend", "to": "bob", "product": product, "key": "k"]
        return each("text", of: ["", long, 5, .null, ["x"], true], in: send)
            + each("replyTo", of: [0, -1, "1", 1.5, 9_007_199_254_740_992], in: send)
            + each("product", of: [.null, "movie/1", [], 5], in: recommend)
            + each("note", of: [5, .string(String(repeating: "n", count: 1001)), []], in: recommend)
            + [
                Bad("product.id", ["type": "recommend", "to": "bob", "product": [:], "key": "k"]),
                Bad("product.id", ["type": "recommend", "to": "bob", "product": ["id": 5], "key": "k"]),
                Bad("product.id", ["type": "recommend", "to": "bob", "product": ["id": "a b"], "key": "k"]),
                Bad(
                    "product.year",
                    ["type": "recommend", "to": "bob", "product": ["id": "m/1", "year": "1999"], "key": "k"]
                ),
                Bad(
                    "product.year",
                    ["type": "recommend", "to": "bob", "product": ["id": "m/1", "year": -1], "key": "k"]
                ),
                Bad(
                    "product.title",
                    ["type": "recommend", "to": "bob", "product": ["id": "m/1", "title": 1], "key": "k"]
                ),
                Bad("chat", ["type": "send", "text": "x", "key": "k"]),
                Bad("to", ["type": "send", "chat": "alice:bob", "to": "bob", "text": "x", "key": "k"]),
                Bad("text", ["type": "send", "chat": "alice:bob", "key": "k"]),
                Bad("key", ["type": "send", "chat": "alice:bob", "text": "x"]),
            ]
            + each(
                "n",
                of: [0, -1, "1", 1.5, .null, 9_007_199_254_740_992, 1e300],
                in: ["type": "read", "chat": "alice:bob"]
            )
            + each("on", of: [.null, 1, "true"], in: ["type": "typing", "chat": "alice:bob"])
            + each("on", of: [.null, 1, "true"], in: ["type": "focus", "chat": "alice:bob"])
    }()

    private static let lists: [Bad] = {
        let limits: [JSONValue] = [0, 201, -1, "50", 1.5, 1e99]
        let cursors: [JSONValue] = ["", -1, [], .string(String(repeating: "9", count: 257)), "a b"]
        return [
            "chats", "history", "following", "followers", "notifications",
        ].flatMap { name -> [Bad] in
            let command: JSONValue =
                name == "history" ? ["type": "history", "chat": "alice:bob"] : ["type": .string(name)]
            return each("limit", of: limits, in: command)
        } + each("before", of: cursors + ["nonsense"], in: ["type": "chats"])
            + each("before", of: cursors + ["nonsense"], in: ["type": "notifications"])
            + each("after", of: cursors, in: ["type": "following"])
            + each("before", of: [0, -1, "x", 1.5], in: ["type": "history", "chat": "alice:bob"])
            + each("after", of: [-1, "x", 1.5], in: ["type": "history", "chat": "alice:bob", "before": .null])
            + each("unread", of: [1, "true", []], in: ["type": "notifications"])
            + [Bad("after", ["type": "history", "chat": "alice:bob", "before": 2, "after": 1])]
    }()

    private static let documents: [Bad] = {
        let paths: [JSONValue] = [
            "", "a", "a/", "/a/b", "a//b", "a/b c", "a/../b", "a/%2f",
            .string("a/" + String(repeating: "x", count: 1030)),
            .string(String(repeating: "a/b/", count: 8) + "a/b"), 5, .null, ["a/b"],
        ]
        let watched = paths.filter { $0 != "a" }
        let versions: [JSONValue] = [-1, "1", 1.5, 9_007_199_254_740_992, []]
        let put: JSONValue = ["type": "put", "path": "a/b", "data": [:], "key": "k"]
        var bad: [Bad] = each("path", of: paths, in: ["type": "get"])
        for name: JSONValue in ["put", "patch", "remove"] {
            var command = put
            command["type"] = name
            bad += each("path", of: paths, in: command) + each("ifVersion", of: versions, in: command)
            bad += each("key", of: ["", "with space", 5, .null, "ü"], in: command)
            guard name != "remove" else { continue }
            bad += each("data", of: [5, "x", [], .null], in: command)
            bad.append(Bad("data", ["type": name, "path": "a/b", "key": "k"]))
        }
        for name: JSONValue in ["watch", "unwatch"] { bad += each("path", of: watched, in: ["type": name]) }
        let watch: JSONValue = ["type": "watch", "path": "a"]
        return bad + each("after", of: [5, "", "a b", []], in: watch) + each("since", of: [5, [], "x"], in: watch)
            + [
                Bad("path", ["type": "watch"]), Bad("path", ["type": "get"]),
                Bad("since.epoch", ["type": "watch", "path": "a", "since": ["seq": 1]]),
                Bad("since.seq", ["type": "watch", "path": "a", "since": ["epoch": "e", "seq": -1]]),
                Bad("since", ["type": "watch", "path": "a", "after": "b", "since": ["epoch": "e", "seq": 1]]),
            ]
    }()

    private static let others: [Bad] = {
        let positions: [JSONValue] = [-1, "1", 1.5, .null, 9_007_199_254_740_992]
        return each("seq", of: positions, in: ["type": "ack"])
            + each("upTo", of: positions.filter { $0 != .null } + [9_007_199_254_740_991], in: ["type": "seen"])
            + each("ids", of: [5, "n-1", .array(Array(repeating: "n-1", count: 201))], in: ["type": "seen"])
            + each(
                "watch",
                of: [5, "bob", .null, .array((0...200).map { .string("u\($0)") })],
                in: ["type": "presence"]
            )
            + each("set", of: [5, "it", []], in: ["type": "preferences"])
            + each("ids", of: [5, [], .array(Array(repeating: "n1", count: 201))], in: ["type": "archive"])
            + each("ids", of: [5, [], .null], in: ["type": "snooze", "until": "2030-01-01T00:00:00Z"])
            + each("until", of: [5, "soon", .null, "2020-01-01T00:00:00Z"], in: ["type": "snooze", "ids": ["n1"]])
            + [
                Bad("chat", ["type": "archive"]), Bad("chat", ["type": "archive", "on": true]),
                Bad("ids", ["type": "archive", "ids": ["n1"], "chat": "a:b", "on": true]),
                Bad("on", ["type": "archive", "ids": ["n1"], "on": false]),
                Bad("on", ["type": "archive", "ids": ["n1"], "on": true]),
                Bad("watch.0", ["type": "presence", "watch": ["a b"]]), Bad("ids.0", ["type": "seen", "ids": [5]]),
                Bad("set.locale", ["type": "preferences", "set": ["locale": "not a locale"]]),
                Bad("set.mute.all", ["type": "preferences", "set": ["mute": ["all": "soon"]]]),
                Bad("set.quietHours.to", ["type": "preferences", "set": ["quietHours": ["from": "22:00"]]]),
                Bad("set.colour", ["type": "preferences", "set": ["colour": "red"]]),
                Bad("type", [:]), Bad("type", ["type": 5]), Bad("type", ["type": .null]),
            ]
            + each("token", of: [5, "a b", []], in: ["type": "hello"])
            + each("device", of: [5, "", "a b", .string(String(repeating: "d", count: 129))], in: ["type": "hello"])
            + each("locale", of: [5, "not a locale"], in: ["type": "hello"])
            + each("since", of: [5, [], "x"], in: ["type": "hello"])
            + [
                Bad("since.seq", ["type": "hello", "since": ["epoch": "e"]]),
                Bad("since.epoch", ["type": "hello", "since": ["seq": 1]]),
                Bad("since.seq", ["type": "hello", "since": ["epoch": "e", "seq": "1"]]),
            ]
    }()
}

/// Commands that are refused although their form is right, and texts that are not commands.
struct RefusalTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

    @Test func `unknown fields are ignored`() throws {
        let device = try server.device(server.name("alice"))
        #expect(try device.ok(["type": "ping", "colour": "red", "nested": ["a": [1, 2]]])["time"] != nil)
    }

    @Test(arguments: ["dance", "Send", "room", ""])
    func `an unknown command is answered with unknown-command`(_ name: String) throws {
        let device = try server.device(server.name("alice"))
        let error = try device.refused(["type": .string(name)])
        #expect(error["code"] == "unknown-command")
        #expect(error["class"] == "permanent")
        try device.settle()
    }

    @Test func `the answer to an unknown command names a similar one`() throws {
        let device = try server.device(server.name("alice"))
        #expect(
            try device.refused(["type": "sned"])["message"] == "there is no command 'sned'; did you mean 'send'?")
        #expect(try device.refused(["type": "dance"])["message"] == "there is no command 'dance'")
    }

    @Test(arguments: [
        "", " ", "nonsense", "[]", "5", "null", #"{"id":1,"type":"ping""#, #"{"id":1,"type":"ping"} x"#,
        #"{"id":1,"id":2,"type":"ping"}"#, #"{"id":1,"type":"ping","type":"send"}"#, #"{"id":1,"type":"ping","a":01}"#,
        #"{"id":1,"type":"ping","a":"\ud800"}"#, #"{'id':1}"#, #"{"id":1,"type":"ping","a":"\#u{7}"}"#,
    ])
    func `a message that is not a JSON object is refused and the connection stays open`(_ text: String) throws {
        let device = try server.device(server.name("alice"))
        try device.peer.send(text)
        try device.peer.send(#"{"id":99,"type":"ping"}"#)
        _ = try device.reply(to: 99)
        let error = try #require(device.messages.first { $0["error"] != nil }?["error"])
        #expect(error["code"] == "bad-request")
        #expect(error["message"]?.stringValue?.isEmpty == false)
    }

    @Test func `depth beyond 16 is refused, 16 is not`() throws {
        let device = try server.device(server.name("alice"))
        let deep = { (depth: Int) in
            String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
        }
        try device.peer.send(#"{"id":98,"type":"ping","a":\#(deep(16))}"#)
        #expect(try device.reply(to: 98)["ok"] != nil)
        try device.peer.send(#"{"id":99,"type":"ping","a":\#(deep(17))}"#)
        #expect(try device.reply(to: 99)["error"]?["code"] == "bad-request")
    }

    @Test func `a key with other content is key-reused and changes nothing`() throws {
        let pair = try server.pair()
        let send: JSONValue = ["type": "send", "chat": .string(pair.chat), "text": "one", "key": "same"]
        try pair.alicePhone.ok(send)
        for other: JSONValue in [
            ["type": "send", "chat": .string(pair.chat), "text": "two", "key": "same"],
            ["type": "send", "chat": .string(pair.chat), "text": "one", "replyTo": 1, "key": "same"],
            ["type": "recommend", "to": .string(pair.bob), "product": ["id": "movie/1"], "key": "same"],
            ["type": "follow", "topic": "station:1", "key": "same"],
        ] {
            let error = try pair.alicePhone.refused(other)
            #expect(error["code"] == "key-reused")
            #expect(error["class"] == "permanent")
            #expect(error["field"] == "key")
        }
        let history = try pair.bobPhone.ok(["type": "history", "chat": .string(pair.chat)])
        #expect(history["messages"]?.arrayValue?.count == 2)
        // A key is unique for each user, not for all.
        try pair.bobPhone.ok(["type": "send", "chat": .string(pair.chat), "text": "bob's", "key": "same"])
    }

    @Test func `recommending to somebody one does not follow is forbidden`() throws {
        let device = try server.device(server.name("alice"))
        let stranger = JSONValue.string(server.name("bob"))
        let error = try device.refused([
            "type": "recommend", "to": stranger, "product": ["id": "movie/1"], "key": "k",
        ])
        #expect(error["code"] == "forbidden")
        #expect(error["field"] == "to")
        #expect(try device.refused(["type": "send", "to": stranger, "text": "x", "key": "k"])["code"] == "forbidden")
        #expect(device.durable.isEmpty)
    }

    @Test func `a command about an unknown thing is answered with not-found, or with the field`() throws {
        let pair = try server.pair()
        #expect(try pair.bobPhone.refused(["type": "seen", "ids": ["n-999999999"]])["code"] == "not-found")
        let beyond = try pair.bobPhone.refused(["type": "read", "chat": .string(pair.chat), "n": 2])
        #expect(beyond["code"] == "bad-request")
        #expect(beyond["field"] == "n")
        let reply = try pair.bobPhone.refused([
            "type": "send", "chat": .string(pair.chat), "text": "x", "replyTo": 2, "key": "k",
        ])
        #expect(reply["field"] == "replyTo")
    }

    @Test func `too many commands without waiting are answered with too-many, and the rest is done`() throws {
        let pair = try server.pair()
        let ids = try (0..<600).map { _ in
            try pair.bobPhone.post(["type": "history", "chat": .string(pair.chat), "limit": 1])
        }
        let replies = try ids.map { try pair.bobPhone.reply(to: $0) }
        let refused = replies.compactMap { $0["error"] }
        #expect(refused.allSatisfy { $0["code"] == "too-many" && $0["class"] == "limit" && $0["retryAfterMs"] != nil })
        #expect(replies.count { $0["ok"] != nil } >= 256)
    }
}
