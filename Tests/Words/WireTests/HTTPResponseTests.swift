import Testing
import Wire

@Suite struct HTTPResponseTests {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func `a whole response`() throws {
        let response = HTTPResponse(status: 200, headers: ["Content-Type": "text/plain"], body: Array("Hi".utf8))
        #expect(
            text(try response.encoded(isKeepAlive: true))
                == "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nHi"
        )
    }

    @Test func `the answer to HEAD tells the length and leaves the body out`() throws {
        let response = HTTPResponse(status: 200, body: Array("Hi".utf8))
        #expect(
            text(try response.encoded(isKeepAlive: false, isHead: true))
                == "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n"
        )
    }

    @Test(arguments: [204, 304])
    func `a status without content has no length and refuses a body`(status: Int) throws {
        #expect(!text(try HTTPResponse(status: status).encoded(isKeepAlive: true)).contains("Content-Length"))
        #expect(throws: HTTPEncodingError.bodyNotAllowed(status: status)) {
            try HTTPResponse(status: status, body: [1]).encoded(isKeepAlive: true)
        }
    }

    @Test(arguments: ["a\r\nSet-Cookie: x", "a\nb", "a\rb", "a\u{0}b", "a\u{7F}"])
    func `a header value cannot inject anything`(value: String) {
        #expect(throws: HTTPEncodingError.invalidHeaderValue(name: "X")) {
            try HTTPResponse(status: 200, headers: ["X": value]).encoded(isKeepAlive: true)
        }
        #expect(throws: HTTPEncodingError.invalidHeaderValue(name: "X")) {
            try HTTPResponse.streamHead(headers: ["X": value])
        }
    }

    @Test(arguments: ["", "a b", "a:", "a\r\nb", "é"])
    func `a header name is a token`(name: String) {
        #expect(throws: HTTPEncodingError.invalidHeaderName(name)) {
            try HTTPResponse(status: 200, headers: [name: "x"]).encoded(isKeepAlive: true)
        }
    }

    @Test(arguments: ["content-length", "Transfer-Encoding", "CONNECTION", "Upgrade"])
    func `framing is the encoder's`(name: String) {
        #expect(throws: HTTPEncodingError.framingHeader(name: name)) {
            try HTTPResponse(status: 200, headers: [name: "x"]).encoded(isKeepAlive: true)
        }
    }

    @Test(arguments: [0, 99, 101, 199, 600, -200])
    func `a status outside the final ones is refused`(status: Int) {
        #expect(throws: HTTPEncodingError.invalidStatus(status)) {
            try HTTPResponse(status: status).encoded(isKeepAlive: true)
        }
    }

    @Test func `an event stream comes in chunks, and bare to HTTP 1-0`() throws {
        var bytes = try HTTPResponse.eventStreamHead()
        var event: [UInt8] = []
        try ServerSentEvent.append(id: "e-1.7", event: "message", data: Array("{\"a\":1}".utf8), to: &event)
        HTTPChunk.append(event, to: &bytes)
        HTTPChunk.append([], to: &bytes)
        HTTPChunk.append(ServerSentEvent.comment, to: &bytes)
        bytes += HTTPChunk.last
        let events = responseEvents([bytes])
        let body = "id: e-1.7\nevent: message\ndata: {\"a\":1}\n\n:\n\n"
        #expect(Array(events.dropFirst()) == [.body(Array(body.utf8)), .end])
        if case .head(let head)? = events.first { #expect(head.headers["content-type"] == "text/event-stream") }

        let old = try HTTPResponse.eventStreamHead(version: .http10) + event
        #expect(responseEvents([old], isEnded: true).dropFirst() == [.body(event), .end])
    }

    @Test func `an event cannot be injected into a stream`() throws {
        var bytes: [UInt8] = []
        try ServerSentEvent.append(data: Array("a\nid: 1\r\n\rb".utf8), to: &bytes)
        #expect(text(bytes) == "data: a\ndata: id: 1\ndata: \ndata: b\n\n")
        for value in ["a\nb", "a\rb", "a\u{0}"] {
            #expect(throws: HTTPEncodingError.invalidEventField) {
                try ServerSentEvent.append(id: value, data: [], to: &bytes)
            }
        }
    }

    @Test func `a server reads what a client encodes`() throws {
        let request = HTTPRequest(
            method: "POST",
            target: "/v1/documents?x=%20",
            headers: ["Idempotency-Key": "k"],
            body: Array("{}".utf8)
        )
        let events = requestEvents([try request.encoded(host: "localhost:1", isKeepAlive: false)])
        #expect(requestHead(events)?.headers["idempotency-key"] == "k" && requestHead(events)?.isKeepAlive == false)
        #expect(Array(events.dropFirst()) == [.body(Array("{}".utf8)), .end])
        #expect(throws: HTTPEncodingError.invalidMethod) {
            try HTTPRequest(method: "G T", target: "/").encoded(host: "a")
        }
        #expect(throws: HTTPEncodingError.framingHeader(name: "host")) {
            try HTTPRequest(method: "GET", target: "/", headers: ["host": "b"]).encoded(host: "a")
        }
    }
}
