import Authentication
import ClientProtocol
import Execution
import JSON
import Model
import Quotas
import Telemetry
import TestSupport
import Testing
import ThreadMessages

/// Writes that one node hands to another: the other makes the same order of them as the one to which they came.
///
/// Each is sent to the first node by a client, on a real socket. Each order of its loop is handed to the second
/// node's loop in the form that the order carries.
@Suite struct HandedWorkTests {
    /// Two nodes with one secret.
    private struct Nodes {
        let first: MemberNode
        let leader: MemberNode

        init() throws {
            let secret = try ServerSecret()
            first = try MemberNode(secret: secret)
            leader = try MemberNode(secret: secret, beside: first)
        }

        func stop() {
            first.stop()
            leader.stop()
        }

        /// Hands an order on.
        /// - Returns: what the leader's loop submits.
        func hand(_ order: WriteOrder, ticket: UInt64 = 1) throws -> WriteOrder {
            let work = try #require(order.source, "\(order.request.useCase) cannot be handed on")
            let before = leader.orders.all.count
            leader.take([HandedCommand(ticket: ticket, actor: order.request.actor, at: order.request.at, work: work)])
            return try leader.orders.element(before)
        }

        /// Hands an order on, and expects that the leader's loop makes the same of it.
        func expectSame(_ order: WriteOrder, _ name: String) throws {
            let handed = try hand(order)
            #expect(handed.origin == HandedOrigin(node: "b", ticket: 1, term: 1), "\(name)")
            #expect(handed.address == nil && handed.ticket == .none, "\(name)")
            #expect(handed.request.actor == order.request.actor, "\(name)")
            #expect(OrderContent.text(of: handed) == OrderContent.text(of: order), "\(name)")
            if case .command = order.source {
                #expect((handed.account == nil) == (order.account == nil), "\(name)")
            }
            #expect(handed.bytes > 0 && handed.bytes <= order.bytes, "\(name)")
        }
    }

    // MARK: Commands

    private static let subscription: JSONValue = [
        "endpoint": "https://push.example/1", "expirationTime": .null,
        "keys": [
            "p256dh": "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
            "auth": "tBHItJI5svbpez7KI4CCXg",
        ],
    ]

    /// Every command that writes.
    private static let commands: [JSONValue] = [
        ["type": "ack", "seq": 1],
        ["type": "recommend", "to": "bob", "product": ["id": "movie/603", "title": "The Matrix"], "key": "k1"],
        ["type": "send", "chat": "alice:bob", "text": "Zażółć", "key": "k2"],
        ["type": "edit", "chat": "alice:bob", "n": 3, "text": "Gęślą jaźń", "rev": 1, "key": "k8"],
        ["type": "delete", "chat": "alice:bob", "n": 3, "key": "k9"],
        ["type": "react", "chat": "alice:bob", "n": 3, "emoji": "👍", "on": true, "key": "k10"],
        ["type": "read", "chat": "alice:bob", "n": 3],
        ["type": "archive", "chat": "alice:bob", "on": true, "key": "k11"],
        ["type": "room.create", "title": "Films", "members": ["bob"], "open": true, "key": "k12"],
        ["type": "room.update", "chat": "room:r1", "title": "Films", "pace": 5, "key": "k13"],
        ["type": "room.invite", "chat": "room:r1", "members": ["bob"], "key": "k14"],
        ["type": "room.join", "chat": "room:r1", "key": "k15"],
        ["type": "room.accept", "chat": "room:r1", "key": "k21"],
        ["type": "room.decline", "chat": "room:r1", "key": "k22"],
        ["type": "room.leave", "chat": "room:r1", "key": "k16"],
        ["type": "room.remove", "chat": "room:r1", "user": "bob", "ban": true, "key": "k17"],
        ["type": "room.role", "chat": "room:r1", "user": "bob", "role": "moderator", "key": "k18"],
        ["type": "room.mute", "chat": "room:r1", "user": "bob", "until": "2056-11-23T11:06:59Z", "key": "k19"],
        ["type": "follow", "topic": "person:525", "key": "k3"],
        ["type": "unfollow", "topic": "person:525", "key": "k4"],
        ["type": "block", "user": "bob", "key": "k12"],
        ["type": "unblock", "user": "bob", "key": "k13"],
        [
            "type": "report", "user": "bob", "chat": "alice:bob", "n": 3, "category": "self-harm", "reason": "Gęś",
            "key": "k14",
        ],
        ["type": "seen", "ids": ["n31"]],
        ["type": "archive", "ids": ["n30"], "key": "k20"],
        ["type": "snooze", "ids": ["n30"], "until": "2056-11-23T11:06:59Z"],
        ["type": "preferences", "set": ["timeZone": "Europe/Rome", "quietHours": ["from": "22:00", "to": "07:00"]]],
        ["type": "device", "platform": "webpush", "subscription": subscription],
        ["type": "device", "remove": true],
        ["type": "put", "path": "users/alice/tasks/1", "data": ["title": "Popcorn"], "ifVersion": 0, "key": "k5"],
        ["type": "patch", "path": "users/alice/tasks/1", "data": ["done": true], "key": "k6"],
        ["type": "remove", "path": "users/alice/tasks/1", "ifVersion": 2, "key": "k7"],
    ]

    /// The commands that write nothing, or only in the session.
    private static let readingCommands: Set<String> = [
        "hello", "ping", "presence", "focus", "typing", "chats", "history", "search", "following", "followers",
        "blocks", "notifications", "notification", "devices", "get", "watch", "unwatch", "rooms", "room.members",
        "room.invitations",
    ]

    @Test func `every command is known to write or to read`() {
        let writing = Set(Self.commands.compactMap { $0["type"]?.stringValue })
        #expect(writing.union(Self.readingCommands) == Set(CommandTable.types.map { $0.name }))
        #expect(writing.isDisjoint(with: Self.readingCommands))
    }

    @Test func `a session's commands`() throws {
        let nodes = try Nodes()
        defer { nodes.stop() }
        let session = Device(try WebSocketPeer(port: nodes.first.port))
        var hello = Device.helloCommand(
            token: try nodes.first.token("alice", jti: "t1", roles: [try #require(RoleName("editor"))]),
            device: "phone")
        hello["locale"] = "it"
        try session.ok(hello)
        for command in Self.commands {
            let before = nodes.first.orders.all.count
            try session.post(command)
            let order = try nodes.first.orders.element(before)
            try nodes.expectSame(order, command.text)
            guard case .user(_, let name, let roles) = order.request.actor else {
                Issue.record("\(order.request.actor)")
                continue
            }
            #expect(name.text == "alice" && roles.map(\.text) == ["editor"])
        }
        _ = try session.reply(to: session.post(["type": "ping"]))
    }

    @Test func `commands that wait for their turn in the session`() throws {
        let nodes = try Nodes()
        defer { nodes.stop() }
        let session = try nodes.first.device("alice", "phone")
        let before = nodes.first.orders.all.count
        // The send waits for the read before it.
        try session.post(["type": "following"])
        try session.post(["type": "follow", "topic": "person:1", "key": "w"])
        try nodes.expectSame(nodes.first.orders.element(before), "waiting")
    }

    @Test func `commands over HTTP, with the triggers through which they came about`() throws {
        let nodes = try Nodes()
        defer { nodes.stop() }
        let users = Admin(
            try HTTPPeer(port: nodes.first.port),
            token: try nodes.first.token("alice", roles: [try #require(RoleName("editor"))]))
        let admin = Admin(
            try HTTPPeer(port: nodes.first.port),
            token: try nodes.first.token("operator", isAdmin: true, scopes: ["user"]))
        let chain = [(TriggerChain.headerName, "release,again")]
        for (caller, isAdmin) in [(users, false), (admin, true)] {
            for command in Self.commands where command["type"] != "device" {
                let before = nodes.first.orders.all.count
                _ = try caller.call("POST", "/v1/commands", command, headers: isAdmin ? chain : [])
                let new = nodes.first.orders.all.dropFirst(before)
                #expect(!new.isEmpty, "\(command.text)")
                for order in new { try nodes.expectSame(order, command.text) }
                guard case .command(let text) = try #require(new.last?.source) else {
                    Issue.record("\(command.text) is no command")
                    continue
                }
                #expect(text.device == nil && text.isPaced == !isAdmin)
                #expect(text.chain == (isAdmin ? TriggerChain("release,again") : TriggerChain.none))
            }
        }
    }

    // MARK: What sessions need

    @Test func `the registration of a user, the use of a device, a path that is watched first`() throws {
        let nodes = try Nodes()
        defer { nodes.stop() }
        func greet(_ locale: String?) throws -> Device {
            let session = Device(try WebSocketPeer(port: nodes.first.port))
            var hello = Device.helloCommand(token: try nodes.first.token("alice"), device: "phone")
            if let locale { hello["locale"] = .string(locale) }
            try session.ok(hello)
            return session
        }
        let rules: JSONValue = ["rules": ["products/{id}": ["read": "anyone"]]]
        #expect(try nodes.first.admin().call("PUT", "/v1/rules", rules).status == 200)
        let session = try greet("it")
        let registration = try nodes.first.orders.element(1)
        #expect(registration.source == .registration(try #require(UserID("alice")), deviceLanguage: LanguageTag("it")))
        try nodes.expectSame(registration, "registration")
        try session.ok(["type": "device", "platform": "webpush", "subscription": Self.subscription])
        try session.post(["type": "watch", "path": "products/1"])
        let watched = try nodes.first.orders.element(3)
        guard case .watchedStream = watched.source else { throw TCPSocket.Failure(description: "\(watched)") }
        try nodes.expectSame(watched, "watched stream")
        // Another language is noted with the user and with the device.
        _ = try greet("de")
        try nodes.expectSame(nodes.first.orders.element(4), "language")
        let use = try nodes.first.orders.element(5)
        guard case .deviceUse("phone", _, let language) = use.source else {
            throw TCPSocket.Failure(description: "\(use)")
        }
        #expect(language == LanguageTag("de"))
        let handed = try nodes.hand(use)
        #expect("\(handed.request.useCase)" == "\(use.request.useCase)")
        let posted = Admin(try HTTPPeer(port: nodes.first.port), token: try nodes.first.token("carol"))
        _ = try posted.call("POST", "/v1/commands", ["type": "follow", "topic": "person:525"])
        try nodes.expectSame(nodes.first.orders.element(6), "registration over HTTP")
    }

    // MARK: Refusals

    /// The leader's answer to work that it refuses before the writer sees it.
    private func refusal(_ work: HandedWork, by actor: Actor, at leader: MemberNode) throws -> Refusal {
        let before = leader.cluster.all.count
        leader.take([HandedCommand(ticket: 7, actor: actor, at: WallClock.system.now(), work: work)], from: "c")
        var place = before
        // The loop also says who came and who left.
        while case .signal = try leader.cluster.element(place) { place += 1 }
        guard case .answer(let origin, let after, .failure(let refusal)) = try leader.cluster.element(place) else {
            throw TCPSocket.Failure(description: "no refusal")
        }
        #expect(origin.node == "c" && origin.ticket == 7 && origin.term == 1 && after == 0)
        return refusal
    }

    @Test func `a command that is refused before the writer gets the same refusal as on a single node`() throws {
        let leader = try MemberNode(secret: ServerSecret())
        defer { leader.stop() }
        let alice = Actor.user(StreamID(stored: 7), try #require(UserID("alice")))
        let session = try leader.device("alice", "phone")
        for command in [
            ["type": "send", "chat": "alice:bob", "text": ""], ["type": "dance"], ["type": "put", "path": "a"],
            ["type": "snooze", "ids": ["n1"], "until": "then"], ["type": "archive", "ids": ["n1"], "on": false],
            ["type": "device", "platform": "fcm", "token": "abc"],
        ] as [JSONValue] {
            let here = try session.refused(command)
            let text = HandedText(command.bytes, device: "phone", deviceLanguage: nil)
            let there = try refusal(.command(text), by: alice, at: leader)
            #expect(here["code"] == .string(there.code.rawValue), "\(command.text)")
            #expect(here["message"] == .string(there.message), "\(command.text)")
            #expect(here["field"] == there.field.map { JSONValue.string($0) }, "\(command.text)")
        }
        let admin = try leader.token("operator", isAdmin: true)
        for (method, target, token, body) in [
            ("PUT", "/v1/documents/products/1", "wrong", "{}"), ("PUT", "/v1/documents/products", admin, "{}"),
            ("PUT", "/v1/documents/products/1", try leader.token("alice"), "{}"),
            ("PUT", "/v1/documents/products/1", admin, "[]"), ("DELETE", "/v1/broadcasts/x", admin, ""),
            ("POST", "/v1/users/bob/kick", admin, #"{"reason":5}"#),
            ("PUT", "/v1/documents/products/1?ifVersion=x", admin, "{}"),
        ] {
            let here = try Admin(HTTPPeer(port: leader.port), token: token).call(method, target, text: body).json()
            let request = HandedRequest(
                method: method, target: target, fields: [.init(name: "authorization", value: "Bearer \(token)")],
                body: Array(body.utf8))
            let there = try refusal(.request(request), by: alice, at: leader)
            #expect(here["code"] == .string(there.code.rawValue), "\(method) \(target)")
            #expect(here["detail"] == .string(there.message), "\(method) \(target)")
            #expect(here["field"] == there.field.map { JSONValue.string($0) }, "\(method) \(target)")
        }
    }

    @Test func `a token that was revoked since is refused by the leader`() throws {
        let leader = try MemberNode(secret: ServerSecret())
        defer { leader.stop() }
        let token = try leader.token("helper", isAdmin: true, jti: "gone")
        let revoked = try leader.admin().call("POST", "/v1/revocations", ["jti": "gone"])
        #expect(revoked.status == 200)
        let request = HandedRequest(
            method: "PUT", target: "/v1/documents/products/1",
            fields: [.init(name: "Authorization", value: "Bearer \(token)")], body: Array("{}".utf8))
        let helper = Actor.administrator(try #require(UserID("helper")))
        #expect(try refusal(.request(request), by: helper, at: leader).code == .tokenRevoked)
    }

    @Test func `work that writes nothing is a mistake of the other node`() throws {
        let leader = try MemberNode(secret: ServerSecret())
        defer { leader.stop() }
        let alice = Actor.user(StreamID(stored: 7), try #require(UserID("alice")))
        let field = HandedRequest.Field(
            name: "Authorization", value: "Bearer \(try leader.token("operator", isAdmin: true))")
        func request(_ method: String, _ target: String) -> HandedWork {
            .request(HandedRequest(method: method, target: target, fields: [field], body: []))
        }
        for work in [
            .command(HandedText(Array(#"{"type":"chats"}"#.utf8), device: nil, deviceLanguage: nil)),
            .command(HandedText(Array(#"{"type":"device","remove":true}"#.utf8), device: nil, deviceLanguage: nil)),
            request("GET", "/v1/stats"), request("GET", "/v1/ws"), request("POST", "/v1/rules"),
            request("GET", "/v1/stats HTTP/1.0\r\nx: y"),
        ] as [HandedWork] {
            #expect(try refusal(work, by: alice, at: leader).code == .internal)
        }
        #expect(leader.orders.all.isEmpty)
    }

    @Test func `the leader charges a handed write to the account that its user has there`() throws {
        let nodes = try Nodes()
        defer { nodes.stop() }
        let there = try nodes.leader.device("alice", "laptop")
        try there.ok(["type": "follow", "topic": "person:1"])
        let own = try #require(nodes.leader.orders.all.last?.account)
        let here = try nodes.first.device("alice", "phone")
        let before = nodes.first.orders.all.count
        try here.post(["type": "follow", "topic": "person:2"])
        #expect(try nodes.hand(nodes.first.orders.element(before)).account === own)
    }

    // MARK: A node that is alone

    @Test func `a node that is alone keeps nothing for others`() throws {
        let node = try MemberNode(secret: ServerSecret(), isMember: false)
        defer { node.stop() }
        let session = try node.device("alice", "phone")
        try session.ok(["type": "follow", "topic": "person:1"])
        #expect(try node.admin().call("PUT", "/v1/documents/products/1", ["a": 1]).status == 200)
        #expect(node.orders.all.count == 3)
        #expect(node.orders.all.allSatisfy { $0.source == nil && $0.origin == nil })
    }
}
