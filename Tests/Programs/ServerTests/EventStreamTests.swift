import Configuration
import JSON
import Server
import TestSupport
import Testing

/// `GET /v1/events`: the events of a session as Server-Sent Events.
struct EventStreamTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

    private func open(
        _ user: String, _ target: String = "/v1/events", since: String? = nil, version: String = "1.1",
        receiveBufferBytes: Int32? = nil
    ) throws -> EventStreamPeer {
        let headers = since.map { [("Last-Event-ID", $0)] } ?? []
        return try EventStreamPeer(
            server, target, token: server.token(user), headers: headers, version: version,
            receiveBufferBytes: receiveBufferBytes)
    }

    private func send(_ text: String, in pair: Pair) throws -> Int64 {
        let ok = try pair.alicePhone.ok([
            "type": "send", "chat": .string(pair.chat), "text": .string(text), "key": .string("k\(text.hashValue)"),
        ])
        return ok["seq"]?.integerValue ?? 0
    }

    @Test(arguments: ["1.1", "1.0"])
    func `a stream begins with the counts and live, then brings the events of a session`(_ version: String) throws {
        let pair = try server.pair()
        let stream = try open(pair.bob, version: version)
        #expect(stream.head.hasPrefix("HTTP/1.1 200 "))
        #expect(stream.head.contains("Content-Type: text/event-stream"))
        #expect(stream.head.contains("Cache-Control: no-store"))
        #expect(stream.head.contains("Transfer-Encoding: chunked") == (version == "1.1"))
        let unread = try #require(try stream.next())
        let counts = try server.connect().hello(token: server.token(pair.bob))["unread"]
        #expect(unread.type == "unread")
        #expect(counts?["chats"] == 1)
        for name in ["chats", "notifications"] { #expect(try unread.json()[name] == counts?[name]) }
        let live = try #require(try stream.next())
        #expect(live.type == "live")
        #expect(try live.id?.hasSuffix(".\(live.json()["seq"]?.integerValue ?? -1)") == true)
        let seq = try send("a\nb", in: pair)
        let message = try stream.event("message")
        #expect(message.id?.hasSuffix(".\(seq)") == true)
        #expect(try message.json()["text"] == "a\nb")
        try pair.bobPhone.wait(forSeq: seq)
        #expect(pair.bobPhone.texts.contains(message.data))
        try pair.alicePhone.ok(["type": "typing", "chat": .string(pair.chat), "on": true])
        let typing = try stream.event("typing")
        #expect(typing.id == nil)
        #expect(try typing.json()["user"] == .string(pair.alice))
    }

    @Test func `Last-Event-ID brings what was missed, once and in order, and goes before the query`() throws {
        let pair = try server.pair()
        let first = try open(pair.bob)
        let live = try #require(try first.event("live").id)
        let sent = try (0..<250).map { try send("m\($0)", in: pair) }
        let again = try open(pair.bob, since: live)
        try again.event("live")
        #expect(again.seqs == sent)
        let middle = try #require(again.events.first { $0.id?.hasSuffix(".\(sent[100])") == true }?.id)
        let rest = try open(pair.bob, "/v1/events?since=\(middle)")
        try rest.event("live")
        #expect(rest.seqs == Array(sent[101...]))
        let both = try open(pair.bob, "/v1/events?since=\(live)", since: middle)
        try both.event("live")
        #expect(both.seqs == Array(sent[101...]))
        let more = try send("more", in: pair)
        for stream in [first, again, rest, both] {
            while stream.seqs.last != more { _ = try #require(try stream.next()) }
        }
        #expect(first.seqs == sent + [more])
    }

    @Test func `another epoch is a reset, then live`() throws {
        let stream = try open(server.name("alice"), since: "e-other.1")
        #expect(try stream.event("reset").json()["reason"] == "epoch")
        #expect(try stream.next()?.type == "live")
    }

    @Test func `a newer connection of the same device replaces the older one, which says why it ends`() throws {
        let user = server.name("alice")
        let stream = try open(user, "/v1/events?device=tv")
        try stream.event("live")
        _ = try server.device(user, "tv")
        let bye = try stream.event("bye").json()
        #expect(bye["code"] == 4409)
        #expect(bye["reconnectInMs"] == nil)
        #expect(try stream.next() == nil)
    }

    @Test func `comments and beats with counts keep a stream alive`() throws {
        let server = try TestServer { $0.heartbeatMilliseconds = 500 }
        let stream = try EventStreamPeer(server, token: server.token("alice"))
        for _ in 0..<4 { #expect(try stream.event("beat").json()["events"] == 0) }
        #expect(stream.comments >= 4)
        server.application.stop()
        let bye = try stream.event("bye").json()
        #expect(bye["code"] == 4501)
        #expect(bye["reconnectInMs"]?.integerValue != nil)
        #expect(try stream.next() == nil)
    }

    @Test func `a token's end ends it`() throws {
        let token = try server.token(server.name("alice"), validMilliseconds: 4000)
        let stream = try EventStreamPeer(server, token: token)
        try stream.event("expiring")
        #expect(try stream.event("bye").json()["code"] == 4401)
        #expect(try stream.next() == nil)
    }

    @Test func `a reader that stops reads on later and gets everything once`() throws {
        let pair = try server.pair()
        let admin = try server.admin()
        let slow = try open(pair.bob, receiveBufferBytes: 65_536)
        try slow.event("live")
        let before = try admin.statistic("slow_sessions_total") ?? 0
        let text = String(repeating: "x", count: 3900)
        var sent: [Int64] = []
        for portion in 0..<14 {
            let ids = try (0..<100).map { number in
                try pair.alicePhone.post([
                    "type": "send", "chat": .string(pair.chat), "text": .string(text),
                    "key": .string("s\(portion).\(number)"),
                ])
            }
            for id in ids {
                sent.append(try pair.alicePhone.reply(to: id)["ok"]?["seq"]?.integerValue ?? 0)
            }
        }
        #expect((try admin.statistic("slow_sessions_total") ?? 0) > before)
        while slow.seqs.count < sent.count { _ = try #require(try slow.next()) }
        #expect(slow.seqs == sent)
    }

    @Test(
        arguments: [
            ("/v1/events?since=x", nil, "since"), ("/v1/events?since=e.-1", nil, "since"),
            ("/v1/events", "7", "Last-Event-ID"), ("/v1/events", ".7", "Last-Event-ID"),
            ("/v1/events?device=a%20b", nil, "device"), ("/v1/events?locale=__", nil, "locale"),
        ] as [(String, String?, String)])
    func `an error names the wrong parameter`(_ target: String, _ since: String?, _ field: String) throws {
        var headers = [("Authorization", "Bearer \(try server.token("alice"))")]
        if let since { headers.append(("Last-Event-ID", since)) }
        let answer = try HTTPPeer(port: server.port).request("GET", target, headers: headers)
        #expect(answer.status == 400)
        #expect(try answer.json()["field"] == .string(field), "\(answer.text)")
    }

    @Test func `a stream needs a token, GET, and an allowed page`() throws {
        let peer = try HTTPPeer(port: server.port)
        #expect(try peer.request("GET", "/v1/events").status == 401)
        let admitted = [("Authorization", "Bearer \(try server.token("alice"))")]
        let post = try peer.request("POST", "/v1/events", headers: admitted, body: [])
        #expect(post.status == 405)
        #expect(post.headers["allow"] == "GET")
        let page = try peer.request("GET", "/v1/events", headers: admitted + [("Origin", "https://evil.example")])
        #expect(page.status == 403)
        #expect(try page.json()["field"] == "Origin")
    }
}
