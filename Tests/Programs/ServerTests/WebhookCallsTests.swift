import Configuration
import Execution
import JSON
import TestSupport
import Testing

/// The calls about webhooks and dead letters, and the header of chains: refused requests, and their messages.
struct WebhookCallsTests {
    @Test(
        arguments: [
            ("GET", "/v1/webhooks/deliveries/1", 404, nil), ("POST", "/v1/webhooks", 405, nil),
            ("GET", "/v1/webhooks/replay", 405, nil), ("GET", "/v1/webhooks/1/enable", 405, nil),
            ("GET", "/v1/webhooks/deliveries/1/replay", 405, nil), ("POST", "/v1/webhooks/x/enable", 404, nil),
            ("POST", "/v1/webhooks/7/enable", 404, "id"), ("POST", "/v1/webhooks/deliveries/7/replay", 404, "id"),
            ("POST", "/v1/webhooks/deliveries", 405, nil), ("GET", "/v1/webhooks/deliveries?state=lost", 400, "state"),
            ("GET", "/v1/webhooks/deliveries?webhook=x", 400, "webhook"),
            ("GET", "/v1/webhooks/deliveries?limit=0", 400, "limit"), ("POST", "/v1/webhooks/1/disable", 404, nil),
            ("POST", "/v1/dead", 405, nil), ("GET", "/v1/dead/1", 405, nil), ("GET", "/v1/dead/1/retry", 405, nil),
            ("POST", "/v1/dead/0/retry", 404, nil), ("DELETE", "/v1/dead/7", 404, "id"),
            ("POST", "/v1/dead/1/x", 404, nil),
            ("GET", "/v1/dead?before=x", 400, "before"),
        ] as [(String, String, Int, String?)])
    func `impossible calls are refused`(_ method: String, _ target: String, _ status: Int, _ field: String?) throws {
        let admin = try TestServer.shared.get().admin()
        let answer = try admin.call(method, target)
        #expect(answer.status == status, "\(answer.text)")
        if let field { #expect(try answer.json()["field"] == .string(field)) }
    }

    @Test(arguments: [
        (#"{"since": 1}"#, "trigger"), (#"{"trigger": 7, "since": 1}"#, "trigger"), (#"{"trigger": "a"}"#, "since"),
        (#"{"trigger": "a", "since": "soon"}"#, "since"), (#"{"trigger": "a", "since": -1}"#, "since"),
        (#"{"trigger": "a", "since": 9007199254740992}"#, "since"),
    ])
    func `a replay that cannot be says which member is wrong`(_ body: String, _ field: String) throws {
        let answer = try TestServer.shared.get().admin().call("POST", "/v1/webhooks/replay", text: body)
        #expect(answer.status == 400)
        #expect(try answer.json()["field"] == .string(field))
    }

    @Test func `webhooks and dead letters are the administrator's`() throws {
        let server = try TestServer.shared.get()
        let token = try server.token(server.name("mallory"))
        let peer = Admin(try HTTPPeer(port: server.port), token: token)
        for target in ["/v1/webhooks", "/v1/webhooks/deliveries", "/v1/dead"] {
            #expect(try peer.call("GET", target).status == 403)
        }
        #expect(try peer.call("POST", "/v1/webhooks/replay").status == 403)
    }

    @Test(arguments: ["", "A", "a,,b", "a b", Array(repeating: "a", count: 17).joined(separator: ",")])
    func `a wrong chain is refused by the name of its header`(_ chain: String) throws {
        let admin = try TestServer.shared.get().admin()
        let header = [("Watchwise-Chain", chain)]
        for (method, body) in [("PUT", #"{"n": 1}"#), ("PATCH", #"{"n": 1}"#), ("DELETE", nil as String?)] {
            let answer = try admin.call(method, "/v1/documents/products/chained", text: body, headers: header)
            #expect(answer.status == 400)
            #expect(try answer.json()["field"] == "Watchwise-Chain")
        }
        let writes = #"{"writes": [{"op": "put", "path": "products/chained", "data": {}}]}"#
        let batch = try admin.call("POST", "/v1/documents", text: writes, headers: header)
        #expect(try batch.json()["field"] == "Watchwise-Chain")
    }

    @Test func `a chain goes on through a command that an administrator posts, and a user's is not believed`() throws {
        let world = try WebhookTests.World(configure: {
            $0.rules = (try? AccessRules(["items/{user}": "owner"])) ?? $0.rules
        })
        try world.trigger()
        let user = Admin(try HTTPPeer(port: world.server.port), token: try world.server.token("alice"))
        let admin = Admin(
            try HTTPPeer(port: world.server.port),
            token: try world.server.token("alice", isAdmin: true, scopes: ["user"]))
        func put(_ n: Int64, chain: String?, by peer: Admin) throws -> HTTPPeer.Answer {
            let command: JSONValue = [
                "type": "put", "path": "items/alice", "data": ["n": .integer(n)], "key": .string("k\(n)"),
            ]
            return try peer.call(
                "POST", "/v1/commands", command, headers: chain.map { [("Watchwise-Chain", $0)] } ?? [])
        }
        let malformed = try put(1, chain: "A", by: admin)
        #expect(malformed.status == 400)
        #expect(try malformed.json()["field"] == "Watchwise-Chain")
        #expect(try put(2, chain: "item", by: admin).status == 200)
        #expect(try world.get("/v1/stats")["webhooks_queued_total"] == 0)
        #expect(try put(3, chain: "other", by: admin).status == 200)
        try world.waitForRequests(1)
        #expect(world.hook.requests[0].headers["watchwise-chain"] == "other,item")
        for (n, chain) in [(4, "item"), (5, "A")] as [(Int64, String)] {
            #expect(try put(n, chain: chain, by: user).status == 200)
            try world.waitForRequests(Int(n) - 2)
        }
        #expect(world.hook.requests[1...].allSatisfy { $0.headers["watchwise-chain"] == "item" })
    }
}
