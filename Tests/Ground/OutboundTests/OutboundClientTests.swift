import EventLoop
import Model
import Outbound
import TestSupport
import Testing

@Suite struct OutboundClientTests {
    private let everywhere = AddressPolicy(allowing: .loopback)

    @Test func `an answer comes with status, fields and body`() throws {
        let server = try WebServer { request in
            WebServer.Answer(
                status: 207, headers: [("X-One", "a"), ("X-Two", "b: c")], body: Array(request.target.utf8))
        }
        defer { server.stop() }
        let request = self.request(
            "http://127.0.0.1:\(server.port)/a/b?c=d", fields: [.init("X-Mine", "yes"), .init("X-Empty", "")])
        let answer = try exchange(request).get()
        #expect(answer.status == 207)
        #expect(answer["x-one"] == "a")
        #expect(answer["X-Two"] == "b: c")
        #expect(answer.body == Array("/a/b?c=d".utf8))
        let seen = try #require(server.requests.first)
        #expect(seen.method == "GET")
        #expect(seen.headers["x-mine"] == "yes")
        #expect(seen.headers["x-empty"] == "")
        #expect(seen.headers["user-agent"] == "watchwise")
        #expect(seen.headers["host"] == "127.0.0.1:\(server.port)")
        #expect(seen.headers["accept-encoding"] == nil)
    }

    @Test(arguments: [0, 1, 2_000_000])
    func `a body is posted whole`(_ count: Int) throws {
        let server = try WebServer { request in
            WebServer.Answer(body: Array("\(request.method) \(request.body.count)".utf8))
        }
        defer { server.stop() }
        var request = self.request("http://127.0.0.1:\(server.port)/")
        request.method = .post([UInt8](repeating: 7, count: count))
        #expect(String(decoding: try exchange(request).get().body, as: UTF8.self) == "POST \(count)")
    }

    @Test func `a request has nothing of the one before it`() throws {
        let server = try WebServer { _ in WebServer.Answer(headers: [("X-Answer", "yes")], body: [1, 2, 3]) }
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)"
        var first = request("\(url)/first", fields: [.init("Authorization", "Bearer one"), .init("X-First", "1")])
        first.method = .post([7, 7, 7])
        let requests = [first, request("\(url)/second"), first, request("\(url)/third", bytesMax: 2)]
        var results: [Result<OutboundAnswer, OutboundFailure>] = []
        try withClient(everywhere) { client, finish in
            func next() {
                guard results.count < requests.count else { return finish() }
                client.send(requests[results.count]) { result in
                    results.append(result)
                    next()
                }
            }
            next()
        }
        #expect(try results[1].get().body == [1, 2, 3])
        #expect(try results[1].get().fields.filter { $0.name == "X-Answer" }.count == 1)
        #expect(results[3] == .failure(.tooLarge(bytesMax: 2)))
        let seen = server.requests
        #expect(seen.map(\.method) == ["POST", "GET", "POST", "GET"])
        #expect(seen.map(\.target) == ["/first", "/second", "/first", "/third"])
        #expect(seen.map { $0.body.count } == [3, 0, 3, 0])
        #expect(seen.map { $0.headers["authorization"] } == ["Bearer one", nil, "Bearer one", nil])
        #expect(seen.map { $0.headers["x-first"] } == ["1", nil, "1", nil])
        #expect(seen.allSatisfy { $0.headers["content-type"] == nil || $0.method == "POST" })
    }

    @Test func `a redirect is an answer and not followed`() throws {
        let target = try WebServer { _ in WebServer.Answer() }
        defer { target.stop() }
        let url = "http://127.0.0.1:\(target.port)/secret"
        let server = try WebServer { _ in WebServer.Answer(status: 302, headers: [("Location", url)]) }
        defer { server.stop() }
        #expect(try exchange(request("http://127.0.0.1:\(server.port)/")).get().status == 302)
        #expect(target.requests.isEmpty)
    }

    @Test(arguments: ["127.0.0.1", "localhost", "0x7f000001", "2130706433", "127.1", "[::ffff:127.0.0.1]", "0"])
    func `an address that the policy refuses is not connected to, however it is written`(_ host: String) throws {
        let server = try WebServer { _ in WebServer.Answer() }
        defer { server.stop() }
        let result = try exchange(request("http://\(host):\(server.port)/"), policy: AddressPolicy())
        guard case .failure(.addressRefused) = result else {
            Issue.record("\(host): \(result)")
            return
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `an answer beyond the bound is refused, announced or not`() throws {
        let server = try WebServer { request in
            var answer = WebServer.Answer(body: [UInt8](repeating: 1, count: 1001))
            if request.target == "/unannounced" {
                answer.raw = Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8) + answer.body
            }
            if request.target == "/fits" { answer.body.removeLast() }
            return answer
        }
        defer { server.stop() }
        for path in ["announced", "unannounced"] {
            let result = try exchange(request("http://127.0.0.1:\(server.port)/\(path)", bytesMax: 1000))
            #expect(result == .failure(.tooLarge(bytesMax: 1000)))
        }
        #expect(try exchange(request("http://127.0.0.1:\(server.port)/fits", bytesMax: 1000)).get().body.count == 1000)
    }

    @Test func `an endless head is refused`() throws {
        let server = try WebServer { _ in
            var answer = WebServer.Answer()
            let field = "X-Long: \(String(repeating: "x", count: 1000))\r\n"
            answer.raw = Array(("HTTP/1.1 200 OK\r\n" + String(repeating: field, count: 100) + "\r\n").utf8)
            return answer
        }
        defer { server.stop() }
        let result = try exchange(request("http://127.0.0.1:\(server.port)/"))
        guard case .failure(.tooLarge) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test func `an answer that does not come ends with timedOut`() throws {
        let server = try WebServer { _ in
            var answer = WebServer.Answer()
            answer.delayMilliseconds = 3000
            return answer
        }
        defer { server.stop() }
        var request = self.request("http://127.0.0.1:\(server.port)/")
        request.totalMilliseconds = 200
        #expect(try exchange(request) == .failure(.timedOut))
    }

    @Test func `garbage instead of HTTP is a failure`() throws {
        let server = try WebServer { _ in
            var answer = WebServer.Answer()
            answer.raw = Array("hello?\r\n\r\n".utf8)
            return answer
        }
        defer { server.stop() }
        guard case .failure(.transfer) = try exchange(request("http://127.0.0.1:\(server.port)/")) else {
            Issue.record("garbage was an answer")
            return
        }
    }

    @Test func `nobody at the port is a failure`() throws {
        let server = try WebServer { _ in WebServer.Answer() }
        let port = server.port
        server.stop()
        guard case .failure(.transfer(7, _)) = try exchange(request("http://127.0.0.1:\(port)/")) else {
            Issue.record("somebody answered")
            return
        }
    }

    @Test(arguments: [
        "", "127.0.0.1", "ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "http://a b/",
        "http://a\r\nb/",
        "http://user:word@127.0.0.1/", "http://", "//127.0.0.1/", "http://exämple.org/",
    ])
    func `a request to a URL that we do not support is not sent`(_ url: String) throws {
        guard case .failure(let failure) = try exchange(request(url)) else {
            Issue.record("\(url) was answered")
            return
        }
        #expect(!failure.description.isEmpty)
    }

    @Test(arguments: [
        OutboundRequest.Field("X-A", "b\r\nX-C: d"), .init("X-A\r\nX-C", "d"), .init("", "x"), .init("X A", "x"),
        .init("X-A", "b\n"), .init("X-A", "b\0"),
    ])
    func `a field that would begin another is not sent`(_ field: OutboundRequest.Field) throws {
        guard case .failure(.unusable) = try exchange(request("http://127.0.0.1:1/", fields: [field])) else {
            Issue.record("\(field) was sent")
            return
        }
    }

    @Test func `many requests at once are all answered, also from within an answer`() throws {
        let server = try WebServer { request in WebServer.Answer(body: Array(request.target.utf8)) }
        defer { server.stop() }
        var answered: Set<String> = []
        try withClient(everywhere) { client, finish in
            for number in 0..<20 {
                client.send(request("http://127.0.0.1:\(server.port)/\(number)")) { result in
                    answered.insert(String(decoding: (try? result.get().body) ?? [], as: UTF8.self))
                    client.send(request("http://127.0.0.1:\(server.port)/again/\(number)")) { result in
                        answered.insert(String(decoding: (try? result.get().body) ?? [], as: UTF8.self))
                        if answered.count == 40 { finish() }
                    }
                }
            }
        }
        #expect(answered.count == 40)
    }

    @Test func `requests that are under way when the client closes get an answer that says so`() throws {
        let server = try WebServer { _ in
            var answer = WebServer.Answer()
            answer.delayMilliseconds = 500
            return answer
        }
        defer { server.stop() }
        var results: [Result<OutboundAnswer, OutboundFailure>] = []
        try withClient(everywhere) { client, finish in
            client.send(request("http://127.0.0.1:\(server.port)/")) { results.append($0) }
            client.send(request("nonsense")) { _ in finish() }
        }
        #expect(results == [.failure(.cancelled)])
    }

    // MARK: TLS

    @Test(.enabled(if: TestAuthority.made != nil, "the openssl command line is not there"))
    func `a certificate of the configured authority is trusted, for its name alone`() throws {
        let authority = try #require(TestAuthority.made)
        let server = try WebServer(cipher: { try authority.cipher() }) { _ in WebServer.Answer(body: [1, 2, 3]) }
        defer { server.stop() }
        for host in ["127.0.0.1", "localhost"] {
            let answer = try exchange(request("https://\(host):\(server.port)/"), authorities: authority.certificate)
                .get()
            #expect(answer.body == [1, 2, 3])
        }
        let seen = server.requests.count
        for (host, file) in [
            ("[::ffff:127.0.0.1]", authority.certificate), ("127.0.0.1", nil), ("127.0.0.1", "/nowhere.pem"),
        ] {
            let result = try exchange(request("https://\(host):\(server.port)/"), authorities: file)
            guard case .failure(.untrusted) = result else {
                Issue.record("\(host), \(file ?? "the system's authorities"): \(result)")
                continue
            }
        }
        #expect(server.requests.count == seen)
    }

    // MARK: Making requests

    private func request(
        _ url: String,
        fields: [OutboundRequest.Field] = [],
        bytesMax: Int = 1 << 20
    ) -> OutboundRequest {
        OutboundRequest(
            url: url,
            fields: fields,
            connectMilliseconds: 3000,
            totalMilliseconds: 5000,
            answerBytesMax: bytesMax
        )
    }

    private func exchange(
        _ request: OutboundRequest,
        policy: AddressPolicy? = nil,
        authorities: String? = nil
    ) throws -> Result<OutboundAnswer, OutboundFailure> {
        var found: Result<OutboundAnswer, OutboundFailure> = .failure(.timedOut)
        try withClient(policy ?? everywhere, authorities: authorities) { client, finish in
            client.send(request) { result in
                found = result
                finish()
            }
        }
        return found
    }
}
