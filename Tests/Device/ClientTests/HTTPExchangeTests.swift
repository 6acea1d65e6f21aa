import Client
import Testing
import Wire

@Suite struct HTTPExchangeTests {
    private static let answer = Array(
        "HTTP/1.1 201 Created\r\nETag: \"3\"\r\nContent-Length: 5\r\n\r\nhello".utf8
    )

    @Test(arguments: 0...answer.count) func `an answer is the same however it is cut`(cut: Int) throws {
        var exchange = try HTTPExchange(HTTPRequest(method: "GET", target: "/"), authority: "h")
        if cut > 0, cut < Self.answer.count {
            #expect(feed(&exchange, Array(Self.answer[..<cut])) == .incomplete)
            #expect(exchange.hasBegun)
        }
        let progress = feed(&exchange, cut < Self.answer.count ? Array(Self.answer[cut...]) : Self.answer)
        let response = HTTPResponse(
            status: 201,
            headers: ["ETag": "\"3\"", "Content-Length": "5"],
            body: Array("hello".utf8)
        )
        #expect(progress == .answered(response, isKept: true))
    }

    @Test func `an answer without a length ends with the connection, which is not kept`() throws {
        var exchange = try HTTPExchange(HTTPRequest(method: "GET", target: "/"), authority: "h")
        #expect(feed(&exchange, Array("HTTP/1.1 200 OK\r\n\r\nab".utf8)) == .incomplete)
        #expect(exchange.receiveEnd() == .answered(HTTPResponse(status: 200, body: Array("ab".utf8)), isKept: false))
    }

    @Test func `a connection that ends inside an answer is a failure`() throws {
        var exchange = try HTTPExchange(HTTPRequest(method: "GET", target: "/"), authority: "h")
        _ = feed(&exchange, Array(Self.answer.dropLast()))
        guard case .failed(.malformed) = exchange.receiveEnd() else {
            Issue.record("no failure")
            return
        }
    }

    @Test func `a body beyond the bound is a failure`() throws {
        var exchange = try HTTPExchange(HTTPRequest(method: "GET", target: "/"), authority: "h", bodyBytesMax: 4)
        guard case .failed(.malformed) = feed(&exchange, Self.answer) else {
            Issue.record("no failure")
            return
        }
    }

    @Test func `a request that would be read as two is not sent`() {
        let request = HTTPRequest(method: "GET", target: "/ HTTP/1.1\r\n\r\nGET /")
        #expect(throws: HTTPEncodingError.invalidTarget) { try HTTPExchange(request, authority: "h") }
    }

    private func feed(_ exchange: inout HTTPExchange, _ bytes: [UInt8]) -> HTTPExchange.Progress {
        bytes.withRawSpan { exchange.receive($0) }
    }
}
