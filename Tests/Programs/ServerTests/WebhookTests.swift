import Authentication
import Crypto
import Files
import Foundation
import JSON
import Model
import Outbound
import Server
import Synchronization
import TestSupport
import Testing
@testable import Configuration
@testable import Telemetry

/// Webhooks over real sockets: a server and a receiver.
struct WebhookTests {
    /// A receiver and a WatchWise whose trigger calls it.
    final class World {
        let hook: WebServer
        let folder: TemporaryFolder
        private(set) var server: TestServer
        let configure: (inout ServerConfiguration) -> Void

        /// - Parameter retries: milliseconds after each failed attempt.
        init(
            secure authority: TestAuthority? = nil, retries: [Int64] = [30, 30, 30], allow: AddressRanges = .loopback,
            configure: @escaping (inout ServerConfiguration) -> Void = { _ in },
            answering answer: @escaping @Sendable (WebServer.Request) -> WebServer.Answer = { _ in WebServer.Answer() }
        ) throws {
            var cipher: (@Sendable () throws -> any WebServer.Cipher)?
            if let authority { cipher = { try authority.cipher() } }
            hook = try WebServer(cipher: cipher, answer)
            folder = TemporaryFolder()
            self.configure = { configuration in
                configuration.webhooks.allow = allow
                configuration.webhooks.pace.retries = retries
                configuration.webhooks.pace.retryAfter = 1...2_000
                configuration.webhooks.pace.answerMilliseconds = 400
                configuration.outboundAuthorities = authority?.certificate
                configure(&configuration)
            }
            server = try TestServer(in: folder, self.configure)
        }

        deinit {
            server.application.stop()
            hook.stop()
        }

        /// Stops the server and starts it again on the same folder.
        func restart() throws {
            server.application.stop()
            server = try TestServer(in: folder, configure)
        }

        func url(_ path: String = "/hook") -> String { "http://127.0.0.1:\(hook.port)\(path)" }

        /// Puts a row that watches `NAMEs/{id}` and calls a webhook.
        func trigger(_ name: String = "item", url: String? = nil) throws {
            let row: JSONValue = [
                "name": .string(name), "event": "write", "path": .string("\(name)s/{id}"), "audience": "everyone",
                "title": "T {{after.n}}", "webhook": .string(url ?? self.url()),
            ]
            let answer = try server.admin().call("PUT", "/v1/triggers/\(name)", row)
            guard answer.status == 200 else { throw TCPSocket.Failure(description: answer.text) }
        }

        @discardableResult
        func put(_ path: String = "items/1", _ n: Int64 = 1, headers: [(String, String)] = []) throws -> JSONValue {
            try server.admin().call("PUT", "/v1/documents/\(path)", ["n": .integer(n)], headers: headers).json()
        }

        func get(_ target: String) throws -> JSONValue { try server.admin().call("GET", target).json() }

        /// The state of the endpoint that was used first.
        func endpoint() throws -> JSONValue { try get("/v1/webhooks")["webhooks"]?.arrayValue?.first ?? .null }

        func secrets() throws -> WebhookSecrets? {
            try WebhookSecrets.load(path: folder.path + "/" + WebhookSecrets.fileName)
        }

        /// Waits for something, twenty seconds at most.
        func wait(_ what: String, _ holds: () throws -> Bool) throws {
            for _ in 0..<2000 {
                if try holds() { return }
                Thread.pause(milliseconds: 10)
            }
            throw TCPSocket.Failure(description: "waited in vain for \(what)")
        }

        func waitForRequests(_ count: Int) throws { try wait("\(count) requests") { hook.requests.count >= count } }
    }

    /// HMAC-SHA-256 by its definition (RFC 2104), made only from the digest, in base64; it does not use the module
    /// under test.
    static func signature(_ secret: String, _ content: [UInt8]) throws -> String {
        var key = try Array(#require(Data(base64Encoded: String(secret.dropFirst(6)))))
        key += [UInt8](repeating: 0, count: 64 - key.count)
        let inner = Digest.sha256(key.map { $0 ^ 0x36 } + content)
        return "v1," + Data(Digest.sha256(key.map { $0 ^ 0x5c } + inner)).base64EncodedString()
    }

    @Test func `a webhook arrives as a signed CloudEvent, and says nothing else`() throws {
        let world = try World(configure: { $0.webhooks.source = "/film" })
        try world.trigger()
        let put = try world.put()
        try world.waitForRequests(1)
        let request = try #require(world.hook.requests.first)
        #expect(request.method == "POST")
        #expect(request.target == "/hook")
        #expect(request.headers["content-type"] == "application/cloudevents+json")
        #expect(request.headers["watchwise-chain"] == "item")
        let id = try #require(request.headers["webhook-id"])
        let timestamp = try #require(request.headers["webhook-timestamp"])
        #expect(abs((Int64(timestamp) ?? 0) - WallClock.system.now().milliseconds / 1000) <= 5)
        let secret = try #require(try world.secrets()?.texts.first)
        let expected = try Self.signature(secret, Array("\(id).\(timestamp).".utf8) + request.body)
        #expect(request.headers["webhook-signature"] == expected)
        let event = try JSONValue(parsing: request.body)
        #expect(event["id"] == .string(id))
        #expect(event["source"] == "/film")
        #expect(event["type"] == "watchwise.document.created")
        #expect(event["subject"] == "items/1")
        #expect(event["data"]?["after"] == ["n": 1])
        #expect(event["data"]?["seq"] == put["seq"])
        #expect(event["data"]?["notification"]?["title"] == "T 1")
        try world.wait("the result") { try world.endpoint()["status"] == 200 }
        #expect(try world.endpoint()["state"] == "ok")
        #expect(try world.get("/v1/webhooks/deliveries")["deliveries"]?.arrayValue?.first?["state"] == "delivered")
        #expect(world.hook.requests.count == 1)
        let statistics = try world.get("/v1/stats")
        #expect(statistics["webhooks_queued_total"] == 1)
        #expect(statistics["webhooks_delivered_total"] == 1)
        #expect(statistics["webhooks_pending"] == 0)
    }

    @Test func `a failed call is tried again under the same id, until the endpoint takes it`() throws {
        let count = Atomic<Int>(0)
        let world = try World(answering: { _ in
            WebServer.Answer(status: count.add(1, ordering: .relaxed).newValue < 3 ? 500 : 204)
        })
        try world.trigger()
        try world.put()
        try world.waitForRequests(3)
        try world.wait("delivery") {
            try world.get("/v1/webhooks/deliveries?state=delivered")["deliveries"]?.arrayValue?.first?["attempts"] == 3
        }
        let requests = world.hook.requests
        #expect(requests.count == 3)
        #expect(Set(requests.compactMap { $0.headers["webhook-id"] }).count == 1)
        #expect(Set(requests.map(\.body)).count == 1)
        #expect(try world.get("/v1/stats")["webhook_failures_total"] == 2)
    }

    @Test func `a call becomes a dead letter after the last attempt, and is sent again when it is retried`() throws {
        let world = try World(
            retries: [10],
            answering: { _ in
                WebServer.Answer(status: 500, body: Array("no way".utf8))
            })
        try world.trigger()
        try world.put()
        try world.wait("a letter") { try world.get("/v1/dead")["dead"]?.arrayValue?.count == 1 }
        let letter = try #require(try world.get("/v1/dead?trigger=item")["dead"]?.arrayValue?.first)
        #expect(letter["kind"] == "webhook")
        #expect(letter["attempts"] == 2)
        #expect(letter["answer"] == "500 no way")
        #expect(letter["url"] == .string(world.url()))
        #expect(try world.endpoint()["state"] == "failing")
        world.hook.setAnswer { _ in WebServer.Answer() }
        let id = try #require(letter["id"]?.integerValue)
        let admin = try world.server.admin()
        #expect(try admin.call("POST", "/v1/dead/\(id)/retry").json()["queued"] == true)
        try world.waitForRequests(3)
        #expect(Set(world.hook.requests.compactMap { $0.headers["webhook-id"] }).count == 1)
        try world.wait("delivery") { try world.endpoint()["state"] == "ok" }
        #expect(try world.get("/v1/dead")["dead"] == [])
        #expect(try admin.call("POST", "/v1/dead/\(id)/retry").status == 404)
        #expect(try admin.call("DELETE", "/v1/dead/\(id)").status == 404)
        #expect(try world.get("/v1/stats")["webhooks_dead_total"] == 1)
    }

    @Test func `Retry-After holds back everything for its endpoint`() throws {
        let world = try World(
            retries: [10, 10, 10],
            answering: { _ in
                WebServer.Answer(status: 429, headers: [("Retry-After", "1")])
            })
        try world.trigger()
        try world.put()
        try world.waitForRequests(1)
        world.hook.setAnswer { _ in WebServer.Answer() }
        let began = ContinuousClock.now
        try world.put("items/2")
        try world.waitForRequests(3)
        #expect(ContinuousClock.now - began > .milliseconds(700))
    }

    @Test func `410 disables the endpoint, the waiting calls are set aside, and enabling is one request`() throws {
        let world = try World(answering: { _ in WebServer.Answer(status: 410) })
        try world.trigger()
        try world.put()
        try world.wait("the end") { try world.endpoint()["state"] == "disabled" }
        try world.put("items/2")
        try world.wait("two letters") { try world.get("/v1/dead")["dead"]?.arrayValue?.count == 2 }
        #expect(world.hook.requests.count == 1)
        #expect(try world.get("/v1/stats")["webhook_endpoints_gone_total"] == 1)
        world.hook.setAnswer { _ in WebServer.Answer() }
        let admin = try world.server.admin()
        let id = try #require(try world.endpoint()["id"]?.stringValue)
        #expect(try admin.call("POST", "/v1/webhooks/\(id)/enable").json()["wasDisabled"] == true)
        try world.put("items/3")
        try world.waitForRequests(2)
        try world.wait("delivery") { try world.endpoint()["state"] == "ok" }
        let letters = try #require(try world.get("/v1/dead")["dead"]?.arrayValue).compactMap { $0["id"]?.integerValue }
        #expect(try admin.call("DELETE", "/v1/dead/\(letters[0])").status == 200)
        #expect(try world.get("/v1/dead")["dead"]?.arrayValue?.map { $0["id"]?.integerValue } == [letters[1]])
    }

    @Test(arguments: [true, false])
    func `the result of a call to a removed endpoint does not count for its retry`(_ isBack: Bool) throws {
        let count = Atomic<Int>(0)
        let world = try World(
            configure: { $0.webhooks.pace.answerMilliseconds = 5_000 },
            answering: { _ in
                var answer = WebServer.Answer(status: 410)
                answer.delayMilliseconds = count.add(1, ordering: .relaxed).newValue == 1 ? 300 : 900
                return answer
            })
        try world.trigger()
        for n: Int64 in 1...4 { try world.put("items/\(n)") }
        try world.waitForRequests(4)
        world.hook.setAnswer { _ in WebServer.Answer() }
        try world.wait("four letters") { try world.get("/v1/dead")["dead"]?.arrayValue?.count == 4 }
        if isBack { Thread.pause(milliseconds: 800) }
        let admin = try world.server.admin()
        #expect(try admin.call("POST", "/v1/webhooks/1/enable").json()["wasDisabled"] == true)
        for letter in try world.get("/v1/dead")["dead"]?.arrayValue ?? [] {
            let id = try #require(letter["id"]?.integerValue)
            #expect(try admin.call("POST", "/v1/dead/\(id)/retry").status == 200)
        }
        try world.wait("four deliveries") {
            try world.get("/v1/webhooks/deliveries?state=delivered")["deliveries"]?.arrayValue?.count == 4
        }
        #expect(world.hook.requests.count == 8)
        #expect(try world.endpoint()["state"] == "ok")
    }

    @Test func `a redirect of a webhook is a failure and not followed`() throws {
        let other = try WebServer { _ in WebServer.Answer() }
        defer { other.stop() }
        let location = "http://127.0.0.1:\(other.port)/secret"
        let world = try World(
            retries: [], answering: { _ in WebServer.Answer(status: 307, headers: [("Location", location)]) })
        try world.trigger()
        try world.put()
        try world.wait("a letter") { try world.get("/v1/dead")["dead"]?.arrayValue?.count == 1 }
        #expect(try world.endpoint()["answer"] == "307, a redirect, which is not followed")
        #expect(other.requests.isEmpty)
    }

    @Test(arguments: ["127.0.0.1", "localhost", "0x7f000001", "[::ffff:127.0.0.1]"])
    func `a webhook goes to no address that is not public, unless it is allowed`(_ host: String) throws {
        let world = try World(retries: [], allow: .none, answering: { _ in WebServer.Answer() })
        try world.trigger(url: "http://\(host):\(world.hook.port)/")
        try world.put()
        try world.wait("a letter") { try world.get("/v1/dead")["dead"]?.arrayValue?.count == 1 }
        #expect(try world.endpoint()["answer"]?.stringValue?.contains("webhook-allow") == true)
        #expect(world.hook.requests.isEmpty)
    }

    @Test(arguments: [true, false])
    func `plain http goes to allowed addresses alone, unless it is let`(_ mayBePlain: Bool) throws {
        let policy = AddressPolicy(admitsPublic: mayBePlain)
        let publicAddress = try #require(IPAddress("93.184.216.34"))
        #expect(policy.admits(publicAddress) == mayBePlain)
        let allowing = AddressPolicy(allowing: .loopback, admitsPublic: mayBePlain)
        #expect(allowing.admits(try #require(IPAddress("127.0.0.1"))))
        #expect(!allowing.admits(try #require(IPAddress("10.0.0.1"))))
    }

    @Test func `a receiver that does not answer, and one that answers too much, are failures`() throws {
        let world = try World(
            retries: [],
            answering: { request in
                var answer = WebServer.Answer(body: [UInt8](repeating: 65, count: WebhookLimits.answerBytesMax + 1))
                if request.target == "/slow" { answer = WebServer.Answer() }
                if request.target == "/slow" { answer.delayMilliseconds = 1_000 }
                return answer
            })
        try world.trigger("slow", url: world.url("/slow"))
        try world.trigger("long", url: world.url("/long"))
        try world.put("slows/1")
        try world.put("longs/1")
        try world.wait("two letters") { try world.get("/v1/dead")["dead"]?.arrayValue?.count == 2 }
        let answers = try world.get("/v1/webhooks")["webhooks"]?.arrayValue?.compactMap { $0["answer"]?.stringValue }
        #expect(answers == ["it took too long", "the answer is longer than 65536 bytes"])
    }

    @Test func `a slow endpoint does not hold up another`() throws {
        let world = try World(
            configure: { $0.webhooks.pace.answerMilliseconds = 5_000 },
            answering: { request in
                var answer = WebServer.Answer()
                if request.target == "/slow" { answer.delayMilliseconds = 1_500 }
                return answer
            })
        try world.trigger("slow", url: world.url("/slow"))
        try world.trigger("fast", url: world.url("/fast"))
        for n: Int64 in 1...20 { try world.put("slows/\(n)") }
        for n: Int64 in 1...20 { try world.put("fasts/\(n)") }
        try world.wait("the fast ones") { world.hook.requests.count { $0.target == "/fast" } == 20 }
        #expect(world.hook.requests.count { $0.target == "/slow" } <= 4)
    }

    @Test func `calls that wait when a server stops are sent by the next one`() throws {
        let world = try World(retries: [200, 200, 200, 200], answering: { _ in WebServer.Answer(status: 503) })
        try world.trigger()
        try world.put()
        try world.waitForRequests(1)
        try world.wait("the result") { try world.endpoint()["state"] == "failing" }
        world.hook.setAnswer { _ in WebServer.Answer() }
        try world.restart()
        try world.wait("delivery") { try world.endpoint()["state"] == "ok" }
        #expect(Set(world.hook.requests.compactMap { $0.headers["webhook-id"] }).count == 1)
    }

    @Test func `a call that was under way when a server stopped is sent again`() throws {
        let world = try World(
            configure: { $0.webhooks.pace.answerMilliseconds = 9_000 },
            answering: { _ in
                var answer = WebServer.Answer()
                answer.delayMilliseconds = 800
                return answer
            })
        try world.trigger()
        try world.put()
        try world.waitForRequests(1)
        try world.restart()
        try world.waitForRequests(2)
        try world.wait("delivery") { try world.endpoint()["status"] == 200 }
        #expect(Set(world.hook.requests.compactMap { $0.headers["webhook-id"] }).count == 1)
    }

    @Test func `a rotated secret signs within a second, beside the old one`() throws {
        let world = try World()
        try world.trigger()
        try world.put()
        try world.waitForRequests(1)
        _ = try WebhookSecrets.rotate(path: world.folder.path + "/" + WebhookSecrets.fileName)
        Thread.pause(milliseconds: 1_050)
        try world.put("items/2")
        try world.waitForRequests(2)
        let request = world.hook.requests[1]
        let id = try #require(request.headers["webhook-id"])
        let timestamp = try #require(request.headers["webhook-timestamp"])
        let signatures = try #require(try world.secrets()).texts.map {
            try Self.signature($0, Array("\(id).\(timestamp).".utf8) + request.body)
        }
        #expect(signatures.count == 2)
        #expect(request.headers["webhook-signature"] == signatures.joined(separator: " "))
    }

    @Test func `without a secret that can be used nothing is sent, and later it is`() throws {
        let world = try World(configure: { $0.webhooks.pace.secretRetryMilliseconds = 50 })
        let path = world.folder.path + "/" + WebhookSecrets.fileName
        #expect(try PrivateFile(path: path).create(Array("nonsense".utf8), temporaryName: ".t"))
        try world.trigger()
        try world.put()
        Thread.pause(milliseconds: 150)
        #expect(world.hook.requests.isEmpty)
        try FileManager.default.removeItem(atPath: path)
        try world.waitForRequests(1)
        #expect(TemporaryFolder.permissions(of: path) == 0o600)
    }

    @Test(.enabled(if: TestAuthority.made != nil, "there is no openssl to make certificates with"))
    func `a webhook over TLS is sent only to the host that its certificate names`() throws {
        let authority = try #require(TestAuthority.made)
        let world = try World(secure: authority)
        try world.trigger(url: "https://127.0.0.1:\(world.hook.port)/")
        try world.put()
        try world.waitForRequests(1)
        // On a busy machine a handshake takes longer than the 400 ms of the other tests.
        let stranger = try World(
            secure: authority, retries: [],
            configure: {
                $0.outboundAuthorities = nil
                $0.webhooks.pace.answerMilliseconds = 10_000
            })
        try stranger.trigger(url: "https://127.0.0.1:\(stranger.hook.port)/")
        try stranger.put()
        try stranger.wait("a letter") { try stranger.get("/v1/dead")["dead"]?.arrayValue?.count == 1 }
        #expect(try stranger.endpoint()["answer"]?.stringValue?.contains("not trusted") == true)
        #expect(stranger.hook.requests.isEmpty)
    }

    @Test func `delivered webhooks are replayed over HTTP`() throws {
        let world = try World()
        try world.trigger()
        let first = try world.put()
        try world.put("items/2")
        try world.wait("two deliveries") {
            try world.get("/v1/webhooks/deliveries?state=delivered")["deliveries"]?.arrayValue?.count == 2
        }
        let admin = try world.server.admin()
        let seq = try #require(first["seq"]?.integerValue)
        let body: JSONValue = ["trigger": "item", "since": .integer(seq)]
        #expect(try admin.call("POST", "/v1/webhooks/replay", body).json() == ["replayed": 1])
        try world.waitForRequests(3)
        #expect(try admin.call("POST", "/v1/webhooks/deliveries/1/replay").json() == ["replayed": 1])
        try world.waitForRequests(4)
        // The first two may arrive in either order.
        let subjects = try world.hook.requests.map { try JSONValue(parsing: $0.body)["subject"]?.stringValue ?? "" }
        #expect(Array(subjects[2...]) == ["items/2", "items/1"])
        #expect(Set(world.hook.requests.compactMap { $0.headers["webhook-id"] }).count == 2)
    }

    @Test func `a receiver that writes back with the chain it was given closes no loop`() throws {
        let world = try World()
        try world.trigger()
        try world.put()
        try world.waitForRequests(1)
        let chain = try #require(world.hook.requests[0].headers["watchwise-chain"])
        let reply = try world.put("items/1", 2, headers: [("Watchwise-Chain", chain)])
        #expect(reply["triggers"]?.arrayValue?.first?["skipped"] == "the chain item already contains it")
        let batch: JSONValue = ["writes": [["op": "put", "path": "items/1", "data": ["n": 3]]]]
        let answer = try world.server.admin().call(
            "POST", "/v1/documents", batch, headers: [("Watchwise-Chain", "a,b"), ("Watchwise-Chain", "c,d")])
        let report = try answer.json()["documents"]?.arrayValue?.first?["triggers"]?.arrayValue?.first
        #expect(report?["skipped"]?.stringValue?.contains("a,b,c,d has 4 triggers") == true, "\(answer.text)")
        Thread.pause(milliseconds: 100)
        #expect(world.hook.requests.count == 1)
    }
}
