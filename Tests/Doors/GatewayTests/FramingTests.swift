import ClientProtocol
import Model
import Testing
@testable import Gateway

/// Messages as one client gets them.
@Suite struct FramingTests {
    private let json = Array(#"{"a":1}"#.utf8)

    private func stream(isChunked: Bool) throws -> EventStream {
        EventStream(epoch: try #require(Epoch("e-1")), isChunked: isChunked)
    }

    @Test func `a WebSocket message is one text frame, whatever the event`() {
        let framing = Framing.webSocket(nil)
        #expect(framing.isPlain && !framing.isOneWay)
        #expect(framing.frame(json, named: .message, at: Position(7)) == [0x81, 7] + json)
    }

    @Test func `an event of a stream bears its name, and the position that comes back as Last-Event-ID`() throws {
        let framing = Framing.serverSentEvents(try stream(isChunked: false))
        #expect(framing.isOneWay && !framing.isPlain)
        let event = framing.frame(json, named: .message, at: Position(7))
        #expect(String(decoding: event, as: UTF8.self) == "id: e-1.7\nevent: message\ndata: {\"a\":1}\n\n")
        let plain = framing.frame(json, named: nil)
        #expect(String(decoding: plain, as: UTF8.self) == "data: {\"a\":1}\n\n")
    }

    @Test func `only a chunked stream is laid out in chunks, and ends with the last one`() throws {
        let chunked = Framing.serverSentEvents(try stream(isChunked: true))
        let event = chunked.frame(json, named: nil)
        #expect(String(decoding: event, as: UTF8.self) == "f\r\ndata: {\"a\":1}\n\n\r\n")
        #expect(chunked.end(1000, "over") == Array("0\r\n\r\n".utf8))
        #expect(Framing.serverSentEvents(try stream(isChunked: false)).end(1000, "over").isEmpty)
        #expect(Framing.webSocket(nil).end(1000, "over") == [0x88, 6, 0x03, 0xe8] + Array("over".utf8))
    }
}
