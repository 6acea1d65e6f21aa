import TestSupport
import Testing
import Wire

@Suite struct HTTPRequestParserTests {
    @Test func `a request with all its parts`() throws {
        let events = requestEvents(
            "POST /v1/publish/tv%2F1399?a=b+c&d=%C3%A9&e HTTP/1.1\r\nHost: localhost:8080\r\ntitle:  Citt\u{E0}\t \r\n"
                + "Content-Length: 5\r\n\r\nHello"
        )
        let head = try #require(requestHead(events))
        #expect(head.method == "POST" && head.path == "/v1/publish/tv%2F1399" && head.version == .http11)
        #expect(head.pathSegments == ["v1", "publish", "tv/1399"])
        #expect(head.query.map(\.name) == ["a", "d", "e"] && head.query.map(\.value) == ["b c", "é", ""])
        #expect(head.target.queryValue("d") == "é" && head.target.queryValue("f") == nil)
        #expect(head.headers["TITLE"] == "Citt\u{E0}" && head.headers["absent"] == nil)
        #expect(head.authority == "localhost:8080" && head.contentLength == 5 && head.isKeepAlive)
        #expect(Array(events.dropFirst()) == [.body(Array("Hello".utf8)), .end])
    }

    @Test func `a chunked body with extensions and trailers`() {
        let events = requestEvents(
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
                + "5;name=\"v;alue\"\r\nHello\r\n00A\r\n, chunks!!\r\n0;last\r\nDigest: x\r\n\r\n"
        )
        #expect(requestHead(events)?.contentLength == nil && requestHead(events)?.headers["Digest"] == nil)
        #expect(Array(events.dropFirst()) == [.body(Array("Hello, chunks!!".utf8)), .end])
    }

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
        ("HTTP/1.1", "Connection: x, CLOSE\r\n", false), ("HTTP/1.0", "", false),
        ("HTTP/1.0", "Connection: keep-alive\r\n", true),
    ])
    func `whether the connection stays open`(version: String, line: String, expected: Bool) {
        #expect(requestHead(requestEvents("GET / \(version)\r\nHost: a\r\n\(line)\r\n"))?.isKeepAlive == expected)
    }

    @Test func `an expectation of 100-continue is reported, others are 417`() {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"
        #expect(requestHead(requestEvents(head + "Expect: 100-Continue\r\n\r\n"))?.expectsContinue == true)
        #expect(requestHead(requestEvents(head + "\r\n"))?.expectsContinue == false)
        #expect(violationStatus(requestEvents(head + "Expect: 200-ok\r\n\r\n")) == 417)
        #expect(
            requestHead(requestEvents("GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n"))?.expectsContinue
                == false
        )
    }

    @Test func `the parser stops after a request until it is asked to go on`() {
        var parser = HTTPRequestParser()
        var events: [HTTPRequestEvent] = []
        #expect(parser.isBetweenRequests)
        let request = Array("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        parser.receive(request + request.prefix(10), into: &events)
        #expect(events.count == 2 && events.last == .end && !parser.isBetweenRequests)
        parser.receive(Array(request.dropFirst(10)), into: &events)
        #expect(events.count == 2)
        parser.nextRequest(into: &events)
        #expect(events.count == 4 && events.last == .end)
        parser.nextRequest(into: &events)
        #expect(events.count == 4 && parser.isBetweenRequests)
        parser.receive([0x47], into: &events)
        #expect(!parser.isBetweenRequests)
    }

    @Test func `many requests in one read come one by one and in order`() {
        let requests = (0..<2_000).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }
        let events = requestEvents(requests.joined())
        let paths = events.compactMap { if case .head(let head) = $0 { head.path } else { nil } }
        #expect(paths == (0..<2_000).map { "/\($0)" })
    }

    @Test func `bytes that come after a request in many reads are kept in order`() {
        var parser = HTTPRequestParser()
        var events: [HTTPRequestEvent] = []
        let request = { (path: String) in Array("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n".utf8) }
        parser.receive(request("/1") + request("/2") + request("/3").prefix(5), into: &events)
        parser.nextRequest(into: &events)
        for byte in request("/3").dropFirst(5) { parser.receive([byte], into: &events) }
        parser.nextRequest(into: &events)
        parser.receive(Array("rest".utf8), into: &events)
        let paths = events.compactMap { if case .head(let head) = $0 { head.path } else { nil } }
        #expect(paths == ["/1", "/2", "/3"] && events.count == 6)
        #expect(parser.takeRemainder() == Array("rest".utf8))
    }

    @Test func `pipelined bytes without end are refused`() {
        var parser = HTTPRequestParser()
        var events: [HTTPRequestEvent] = []
        let bytes = [UInt8](repeating: 0x61, count: 64 * 1024)
        parser.receive(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8), into: &events)
        for _ in 0..<4 { parser.receive(bytes, into: &events) }
        #expect(events.count == 2)
        parser.receive([0x61], into: &events)
        #expect(violationStatus(events) == 400)
        parser.nextRequest(into: &events)
        #expect(events.count == 3)
    }

    @Test func `one empty line before a request is forgiven`() {
        let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(requestEvents(request + "\r\n" + request).count == 4)
        #expect(violationStatus(requestEvents("\r\n\r\n" + request)) == 400)
    }

    @Test(arguments: [
        "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nHello\r\nGET /3 HTTP/1.0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nHello\r\n1\r\n!\r\n0\r\nA: b\r\nC: d\r\n\r\nGET / HTTP/1.1\r\nHost: b\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nHello\r\n3\r\nabcX\r\n0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nHello\r\n0\r\nA: \u{1}\r\n\r\n",
    ])
    func `events do not depend on how the bytes were cut`(text: String) {
        let disagreements = DecoderVerifier.disagreements(Array(text.utf8)) { requestEvents($0) }
        #expect(disagreements.isEmpty, "\(disagreements)")
        #expect(!requestEvents(text).isEmpty)
    }

    @Test func `random bytes never trap and do not depend on the cut`() {
        let sound = Array(
            ("POST /a%20b?c=d HTTP/1.1\r\nHost: a:80\r\nTransfer-Encoding: chunked\r\n\r\n5;x\r\nHello\r\n0\r\nA: b\r\n\r\n"
                + "GET http://h/x HTTP/1.1\r\nHost: h\r\n\r\n").utf8
        )
        for seed in 0..<10_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var bytes = sound
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: random.bytes(3), at: place)
                }
            }
            if seed.isMultiple(of: 4) { bytes = random.bytes(100) }
            let cut = Int.random(in: 0...bytes.count, using: &random)
            let whole = requestEvents([bytes])
            #expect(whole == requestEvents([Array(bytes[..<cut]), Array(bytes[cut...])]), "seed \(seed)")
            #expect(violationStatus(whole.dropLast()) == nil, "seed \(seed)")
        }
    }
}
