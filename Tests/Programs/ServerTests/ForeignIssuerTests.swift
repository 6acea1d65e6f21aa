import Crypto
import Foundation
import JSON
import Model
import Outbound
import Server
import TestSupport
import Testing
@testable import Configuration
@testable import Telemetry

/// Tokens of other issuers, with a server that fetches their keys from a real HTTP server.
struct ForeignIssuerTests {
    /// An issuer with its key server and a WatchWise that trusts it.
    final class World {
        let issuer: Issuer
        let keys: WebServer
        let server: TestServer

        init(
            secure authority: TestAuthority? = nil,
            answering answer: @escaping @Sendable (Issuer) -> WebServer.Answer = {
                WebServer.Answer(body: $0.published)
            },
            firebase: Bool = false, admin: Bool = false, scopes: String? = nil, wantedMilliseconds: Int64 = 300,
            configure: (inout ServerConfiguration) -> Void = { _ in }
        ) throws {
            let issuer = try Issuer()
            self.issuer = issuer
            var cipher: (@Sendable () throws -> any WebServer.Cipher)?
            if let authority { cipher = { try authority.cipher() } }
            keys = try WebServer(cipher: cipher) { _ in answer(issuer) }
            let url = "\(authority == nil ? "http" : "https")://127.0.0.1:\(keys.port)/jwks"
            var members: JSONObject =
                firebase ? ["firebase": "film-night"] : ["issuer": .string(Issuer.name), "audience": "film"]
            members["keys"] = .string(url)
            if admin { members["admin"] = true }
            members["scopes"] = scopes.map { .string($0) }
            server = try TestServer { configuration in
                configuration.issuers = [IssuerConfiguration(members)].compactMap { $0 }
                configuration.outboundAllow = .loopback
                configuration.outboundAuthorities = authority?.certificate
                configuration.keyPace.wantedMilliseconds = wantedMilliseconds
                configuration.keyPace.retryBounds = 50...50
                configuration.keyPace.answerMilliseconds = 400
                configure(&configuration)
            }
        }

        deinit {
            server.application.stop()
            keys.stop()
        }

        /// Replaces the published keys.
        func publish(_ other: Issuer) { keys.setAnswer { _ in WebServer.Answer(body: other.published) } }

        /// The error of a hello; nil when it was answered with ok.
        func refusal(_ token: String) throws -> JSONValue? {
            let device = try server.connect()
            return try device.reply(to: device.post(Device.helloCommand(token: token)))["error"]
        }

        /// Repeats while the server answers that it cannot check the token yet.
        func settled(_ token: String) throws -> JSONValue? {
            for _ in 0..<1000 {
                let refusal = try refusal(token)
                guard refusal?["code"] == "unavailable" else { return refusal }
                Thread.pause(milliseconds: 20)
            }
            throw TCPSocket.Failure(description: "it never came to a judgement")
        }

        func metric(_ name: String) throws -> Int {
            let page = try HTTPPeer(port: server.port).request("GET", "/metrics").text
            let line = page.split(separator: "\n").first { $0.hasPrefix("watchwise_\(name) ") }
            return line.flatMap { Int($0.split(separator: " ")[1]) } ?? -1
        }
    }

    static func payload(
        sub: String = "Xy12AbCdEf", iss: String = Issuer.name, aud: String = "film", seconds: Int64 = 3600,
        more: String = ""
    ) -> String {
        let now = WallClock.system.now().milliseconds / 1000
        return #"{"iss":"\#(iss)","aud":"\#(aud)","sub":"\#(sub)","iat":\#(now),"exp":\#(now + seconds)\#(more)}"#
    }

    // MARK: Who is let in

    @Test(arguments: SignatureAlgorithm.allCases)
    func `a token of each algorithm opens a session for its subject`(_ algorithm: SignatureAlgorithm) throws {
        let world = try World()
        let device = try world.server.connect()
        let ok = try device.hello(token: world.issuer.token(algorithm, payload: Self.payload()))
        #expect(ok["user"] == "Xy12AbCdEf")
        #expect(world.keys.requests.count == 1)
        let own = try world.server.connect()
        try own.hello(token: world.server.token("alice"))
    }

    @Test func `a Firebase ID token opens a session, from hello or from the header`() throws {
        let world = try World(firebase: true)
        let now = WallClock.system.now().milliseconds / 1000
        let payload = Self.payload(
            iss: "https://securetoken.google.com/film-night", aud: "film-night",
            more: #","auth_time":\#(now - 100),"user_id":"Xy12AbCdEf","firebase":{"sign_in_provider":"password"}"#)
        let token = try world.issuer.token(.rs256, payload: payload)
        #expect(try world.server.connect().hello(token: token)["user"] == "Xy12AbCdEf")
        let device = try world.server.connect(headers: [("Authorization", "Bearer \(token)")])
        #expect(try device.hello(token: nil)["user"] == "Xy12AbCdEf")
        let bare = try world.issuer.token(
            .rs256, payload: Self.payload(iss: "https://securetoken.google.com/film-night", aud: "film-night"))
        #expect(try world.refusal(bare)?["code"] == "unauthenticated")
    }

    @Test(.enabled(if: TestAuthority.made != nil, "the openssl command line is not there"))
    func `keys come over TLS from a server that the configured authority vouches for`() throws {
        let world = try World(secure: TestAuthority.made)
        #expect(try world.refusal(world.issuer.token(.es256, payload: Self.payload())) == nil)
    }

    @Test func `wrong tokens of a trusted issuer are refused as unauthenticated`() throws {
        let world = try World(wantedMilliseconds: 60_000)
        let issuer = world.issuer
        let publicKey = Array(Issuer.entry(issuer.keys[0].key, keyID: nil).text.utf8)
        let signed =
            Issuer.base64(Array(#"{"alg":"HS256","kid":"RS256"}"#.utf8)) + "."
            + Issuer.base64(Array(Self.payload().utf8))
        let confused = signed + "." + Issuer.base64(HMAC.sha256(key: publicKey, message: Array(signed.utf8)))
        let none = Issuer.base64(Array(#"{"alg":"none"}"#.utf8)) + "." + Issuer.base64(Array(Self.payload().utf8)) + "."
        let tokens = [
            confused, none,
            try issuer.token(.rs256, payload: Self.payload(iss: "https://other.example")),
            try issuer.token(.rs256, payload: Self.payload(aud: "other")),
            try issuer.token(.rs256, payload: Self.payload(sub: "a b")),
            try issuer.token(.rs256, header: #"{"alg":"RS256","kid":"ES256"}"#, payload: Self.payload()),
            try issuer.token(.rs256, header: #"{"alg":"RS256","kid":"nobody"}"#, payload: Self.payload()),
            try Issuer().token(.es256, payload: Self.payload()),
            String(try issuer.token(.rs256, payload: Self.payload()).dropLast(4)) + "AAAA",
        ]
        for (number, token) in tokens.enumerated() {
            #expect(try world.refusal(token)?["code"] == "unauthenticated", "token \(number)")
        }
        let expired = try issuer.token(.rs256, payload: Self.payload(seconds: -1))
        #expect(try world.refusal(expired)?["code"] == "token-expired")
        #expect(world.keys.requests.count == 1)
    }

    @Test func `a token without kid is taken where one key fits, and refused where two do`() throws {
        let world = try World()
        let bare = #"{"alg":"ES256"}"#
        #expect(try world.refusal(world.issuer.token(.es256, header: bare, payload: Self.payload())) == nil)
        let two = Issuer([("a", try SigningKey(.es256)), ("b", try SigningKey(.es256))])
        world.publish(two)
        let named = try two.token(.es256, header: #"{"alg":"ES256","kid":"a"}"#, payload: Self.payload())
        Thread.pause(milliseconds: 350)
        #expect(try world.settled(named) == nil)
        #expect(
            try world.settled(two.token(.es256, header: bare, payload: Self.payload()))?["code"] == "unauthenticated")
    }

    @Test(arguments: [false, true])
    func `the scope admin counts only for an issuer that may grant it`(_ isGranted: Bool) throws {
        let world = try World(admin: isGranted)
        let token = try world.issuer.token(.edDSA, payload: Self.payload(more: #","scope":"openid admin""#))
        let admin = Admin(try HTTPPeer(port: world.server.port), token: token)
        #expect(try admin.call("GET", "/v1/stats").status == (isGranted ? 200 : 403))
        let forged = try Issuer().token(.edDSA, payload: Self.payload(more: #","scope":"admin""#))
        #expect(try Admin(try HTTPPeer(port: world.server.port), token: forged).call("GET", "/v1/stats").status == 401)
    }

    @Test func `a word of operators counts only for an issuer that may grant it`() throws {
        let world = try World(scopes: "admin:read+admin:data")
        let token = try world.issuer.token(
            .edDSA, payload: Self.payload(more: #","scope":"admin admin:read admin:publish metrics""#))
        let caller = Admin(try HTTPPeer(port: world.server.port), token: token)
        #expect(try caller.call("GET", "/v1/stats").status == 200)
        #expect(try caller.call("PUT", "/v1/documents/notes/1", [:]).status == 403)
        #expect(try caller.call("GET", "/v1/backup").status == 403)
        // No issuer makes a node.
        let node = try world.issuer.token(.edDSA, payload: Self.payload(more: #","scope":"node:join""#))
        let stranger = Admin(try HTTPPeer(port: world.server.port), token: node)
        #expect(try stranger.call("GET", "/v1/backup").status == 403)
    }

    // MARK: Rotation

    @Test func `a turned key is fetched when a token names it, and a session stays open meanwhile`() throws {
        let world = try World()
        let device = try world.server.connect()
        try device.hello(token: world.issuer.token(.rs256, payload: Self.payload()))
        let next = Issuer([("next", try SigningKey(.rs256))])
        world.publish(next)
        let token = try next.token(.rs256, header: #"{"alg":"RS256","kid":"next"}"#, payload: Self.payload())
        Thread.pause(milliseconds: 350)
        let refusal = try #require(try world.refusal(token))
        #expect(refusal["code"] == "unavailable")
        #expect(refusal["class"] == "retry")
        #expect(refusal["retryAfterMs"] == 2000)
        #expect(try world.settled(token) == nil)
        try device.settle()
        try device.hello(token: token)
        let old = try world.issuer.token(.rs256, payload: Self.payload())
        #expect(try world.settled(old)?["code"] == "unauthenticated")
        try device.settle()
    }

    @Test func `a flood of unknown keys makes few fetches`() throws {
        let world = try World(wantedMilliseconds: 400)
        let began = ContinuousClock.now
        while ContinuousClock.now - began < .milliseconds(1000) {
            let kid = #"{"alg":"RS256","kid":"\#(UInt64.random(in: 0...UInt64.max))"}"#
            let code = try world.refusal(world.issuer.token(.rs256, header: kid, payload: Self.payload()))?["code"]
            #expect(["unavailable", "unauthenticated"].contains(code))
        }
        let most = 2 + Int((ContinuousClock.now - began) / .milliseconds(400))
        #expect((2...most).contains(world.keys.requests.count), "\(world.keys.requests.count) of at most \(most)")
    }

    @Test func `keys are fetched again when they no longer hold, and 304 keeps them`() throws {
        let world = try World(answering: { issuer in
            let headers = [("ETag", "\"one\""), ("Cache-Control", "max-age=1")]
            return WebServer.Answer(headers: headers, body: issuer.published)
        }) {
            $0.keyPace.freshBounds = 50...100
        }
        world.keys.setAnswer { request in
            request.headers["if-none-match"] == "\"one\""
                ? WebServer.Answer(status: 304) : WebServer.Answer(status: 500)
        }
        let count = world.keys.requests.count
        while world.keys.requests.count < count + 3 { Thread.pause(milliseconds: 20) }
        #expect(try world.refusal(world.issuer.token(.rs256, payload: Self.payload())) == nil)
        #expect(try world.metric("key_fetch_failures_total") == 0)
    }

    @Test(arguments: Trouble.allCases)
    func `with every kind of trouble, the old keys stay until there are new ones`(_ trouble: Trouble) throws {
        let world = try World(configure: { $0.keyPace.freshBounds = 50...50 })
        let url = "http://127.0.0.1:\(world.keys.port)/elsewhere"
        let published = world.issuer.published
        world.keys.setAnswer { request in
            if request.target == "/elsewhere" { return WebServer.Answer(body: published) }
            return trouble.answer(redirectingTo: url)
        }
        while try world.metric("key_fetch_failures_total") < 2 { Thread.pause(milliseconds: 20) }
        let refusal = try world.refusal(world.issuer.token(.rs256, payload: Self.payload()))
        #expect(refusal == nil)
        #expect(!world.keys.requests.contains { $0.target == "/elsewhere" })
        let next = Issuer([("next", try SigningKey(.edDSA))])
        world.publish(next)
        let token = try next.token(.edDSA, header: #"{"alg":"EdDSA","kid":"next"}"#, payload: Self.payload())
        for _ in 0..<1000 where try world.refusal(token) != nil { Thread.pause(milliseconds: 20) }
        #expect(try world.refusal(token) == nil)
    }

    enum Trouble: CaseIterable {
        case status500, garbage, empty, tooLarge, tooSlow, redirect, notFound, brokenOff

        func answer(redirectingTo url: String) -> WebServer.Answer {
            var answer = WebServer.Answer()
            switch self {
            case .status500: answer.status = 500
            case .garbage: answer.body = Array("<html>".utf8)
            case .empty: answer.body = Array(#"{"keys":[]}"#.utf8)
            case .tooLarge: answer.body = [UInt8](repeating: 0x20, count: 300_000)
            case .tooSlow: answer.delayMilliseconds = 1000
            case .redirect:
                answer.status = 301
                answer.headers = [("Location", url)]
            case .notFound: answer.status = 404
            case .brokenOff: answer.raw = Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{".utf8)
            }
            return answer
        }
    }

    // MARK: Without keys

    @Test func `a server whose issuer cannot be reached serves, says so, and answers its tokens with retry`() throws {
        let world = try World(answering: { _ in WebServer.Answer(status: 503) })
        let token = try world.issuer.token(.rs256, payload: Self.payload())
        let error = try #require(try world.refusal(token))
        #expect(error["code"] == "unavailable")
        #expect(error["class"] == "retry")
        #expect(error["field"] == "token")
        let upgrade = try HTTPPeer(port: world.server.port)
        try upgrade.socket.send(WebSocketPeer.upgrade("/v1/ws", [("Authorization", "Bearer \(token)")]))
        let answer = try upgrade.answer()
        #expect(answer.status == 503)
        #expect(answer.headers["retry-after"] == "2")
        let ready = try HTTPPeer(port: world.server.port).request("GET", "/readyz")
        #expect(ready.status == 200)
        #expect(ready.text.contains("no keys of \(Issuer.name) yet"))
        #expect(try world.metric("issuers_without_keys") == 1)
        #expect(try world.metric("tokens_unjudged_total") >= 2)
        try world.server.connect().hello(token: world.server.token("alice"))
        world.publish(world.issuer)
        #expect(try world.settled(token) == nil)
        #expect(try HTTPPeer(port: world.server.port).request("GET", "/readyz").text == "ready\n")
        #expect(try world.metric("issuers_without_keys") == 0)
    }

    @Test func `an issuer at an address that is not public is not asked unless that is allowed`() throws {
        let world = try World(configure: { $0.outboundAllow = .none })
        #expect(try world.refusal(world.issuer.token(.rs256, payload: Self.payload()))?["code"] == "unavailable")
        #expect(world.keys.requests.isEmpty)
    }

    // MARK: Files

    @Test func `a key file is read at the start, when it changes, and at SIGHUP`() throws {
        let issuer = try Issuer()
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let path = folder.path + "/keys.json"
        func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic) }
        try write(issuer.published)
        func start(_ milliseconds: Int64) throws -> TestServer {
            try TestServer { configuration in
                let members: JSONObject = ["issuer": .string(Issuer.name), "audience": "film", "keys": .string(path)]
                configuration.issuers = [IssuerConfiguration(members)].compactMap { $0 }
                configuration.keyPace.fileMilliseconds = milliseconds
            }
        }
        func isAccepted(_ token: String, by server: TestServer) throws -> Bool {
            for _ in 0..<1000 {
                let device = try server.connect()
                if try device.reply(to: device.post(Device.helloCommand(token: token)))["ok"] != nil { return true }
                Thread.pause(milliseconds: 20)
            }
            return false
        }
        let (quick, slow) = (try start(50), try start(3_600_000))
        defer { for server in [quick, slow] { server.application.stop() } }
        let token = try issuer.token(.rs256, payload: Self.payload())
        #expect(try isAccepted(token, by: quick) && isAccepted(token, by: slow))
        try write(Array("{".utf8))
        Thread.pause(milliseconds: 200)
        #expect(try isAccepted(token, by: quick))
        let next = Issuer([("next", try SigningKey(.es256))])
        try write(next.published)
        let turned = try next.token(.es256, header: #"{"alg":"ES256","kid":"next"}"#, payload: Self.payload())
        #expect(try isAccepted(turned, by: quick))
        slow.application.reloadIssuerKeys()
        #expect(try isAccepted(turned, by: slow))
    }

    // MARK: Expiry

    @Test func `an open connection is warned before its foreign token expires, renewed by another, and ends with it`()
        throws
    {
        let world = try World()
        let token = try world.issuer.token(.es256, payload: Self.payload(seconds: 4))
        let renewed = try world.server.connect()
        let left = try world.server.connect()
        for device in [renewed, left] {
            try device.hello(token: token)
            try device.event("expiring")
        }
        try renewed.hello(token: world.issuer.token(.es256, payload: Self.payload()))
        #expect(try left.waitForEnd() == .close(code: 4401, reason: "unauthenticated"))
        try renewed.settle()
    }
}
