import Testing

@testable import Wire

@Suite struct WebSocketOfferTests {
    private let offer = WebSocketHandshake.Offer(
        host: "localhost:8080",
        target: "/v1/ws?x=1",
        subprotocols: ["watchwise.v1"],
        extensions: "permessage-deflate",
        headers: ["Authorization": "Bearer abc"],
        key: Array("the sample nonce".utf8)
    )

    private func answer(_ lines: [String], status: String = "101 Switching Protocols") throws -> HTTPResponseHead {
        let text = (["HTTP/1.1 \(status)"] + lines).joined(separator: "\r\n") + "\r\n\r\n"
        for case .head(let head) in responseEvents([Array(text.utf8)]) { return head }
        throw HTTPViolation.badRequest("no head")
    }

    private let sound = [
        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
    ]

    @Test func `both ends of the handshake agree`() throws {
        let head = try #require(requestHead(requestEvents([offer.encoded()])))
        #expect(head.authority == "localhost:8080" && head.headers["authorization"] == "Bearer abc")
        let acceptance = try WebSocketHandshake.check(head, subprotocols: .oneOf(["watchwise.v1"]))
        #expect(acceptance.extensions.map(\.name) == ["permessage-deflate"])
        let bytes = try WebSocketHandshake.answer(acceptance, extensions: "permessage-deflate", sha1: sha1)

        var parser = HTTPResponseParser()
        var events: [HTTPResponseEvent] = []
        parser.receive(bytes + FrameEncoder.text([0x61]), into: &events)
        guard case .head(let response)? = events.first else {
            Issue.record("no head: \(events)")
            return
        }
        let checked = try offer.check(response, sha1: sha1)
        #expect(checked.subprotocol == "watchwise.v1")
        #expect(checked.extensions.map(\.name) == ["permessage-deflate"])
        #expect(webSocketEvents([parser.takeRemainder()], role: .client) == [.text([0x61])])
    }

    @Test func `wrong answers are refused`() throws {
        let cases: [(lines: [String], error: WebSocketHandshake.AnswerError)] = [
            (Array(sound.dropFirst()), .notAnUpgrade), (Array(sound.dropLast()), .wrongAcceptValue),
            (sound.dropLast() + ["Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOO="], .wrongAcceptValue),
            (sound + [sound[2]], .wrongAcceptValue),
            (sound + ["Sec-WebSocket-Protocol: other"], .unexpectedSubprotocol),
            (sound + ["Sec-WebSocket-Extensions: other"], .unexpectedExtension),
        ]
        for (lines, error) in cases {
            let head = try answer(lines)
            #expect(throws: error) { try offer.check(head, sha1: sha1) }
        }
        let refused = try answer(["Content-Length: 0"], status: "401 Unauthorized")
        #expect(throws: WebSocketHandshake.AnswerError.refused(status: 401)) { try offer.check(refused, sha1: sha1) }
    }

    @Test func `a header cannot be injected into the request`() {
        var injected = offer
        injected.headers = ["Authorization": "x\r\nHost: evil"]
        #expect(throws: HTTPEncodingError.invalidHeaderValue(name: "Authorization")) { try injected.encoded() }
        injected = offer
        injected.target = "/ HTTP/1.1\r\nX: y"
        #expect(throws: HTTPEncodingError.invalidTarget) { try injected.encoded() }
        injected = offer
        injected.host = "a\r\nX: y"
        #expect(throws: HTTPEncodingError.invalidHost) { try injected.encoded() }
    }

    @Test func `offers of permessage-deflate are values`() throws {
        let line =
            "permessage-deflate; client_max_window_bits; server_max_window_bits=\"10\", "
            + "permessage-deflate; server_no_context_takeover; client_no_context_takeover; client_max_window_bits=12"
        let offers = try #require(WebSocketExtension.parse(["Sec-WebSocket-Extensions": line]))
            .compactMap(PerMessageDeflateOffer.init)
        #expect(offers.count == 2)
        #expect(offers.first?.clientWindow == .negotiable && offers.first?.serverWindowBits == 10)
        #expect(offers.last?.serverNoContextTakeover == true && offers.last?.clientNoContextTakeover == true)
        #expect(offers.last?.clientWindow == .bits(12))
    }

    @Test(arguments: [
        "x-webkit-deflate-frame", "permessage-deflate; unknown", "permessage-deflate; server_max_window_bits",
        "permessage-deflate; server_max_window_bits=7", "permessage-deflate; server_max_window_bits=16",
        "permessage-deflate; client_max_window_bits=08", "permessage-deflate; server_no_context_takeover=1",
        "permessage-deflate; client_max_window_bits; client_max_window_bits=10",
    ])
    func `offers that cannot be taken are declined`(line: String) throws {
        let offers = try #require(WebSocketExtension.parse(["Sec-WebSocket-Extensions": line]))
        #expect(offers.count == 1 && offers.compactMap(PerMessageDeflateOffer.init).isEmpty)
    }
}
