import EventLoop
import Testing
import Wire

@testable import watchwise_load

/// Bytes of servers are read in the same way however they are cut.
@Suite struct FrameScannerTests {
    private func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        FrameEncoder.append(opcode, payload, to: &bytes)
        return bytes
    }

    private func scan(_ bytes: [UInt8], piece: Int) -> [String] {
        var scanner = FrameScanner()
        var found: [String] = []
        for start in stride(from: 0, to: bytes.count, by: piece) {
            Array(bytes[start..<min(start + piece, bytes.count)]).withRawSpan { span in
                scanner.receive(span) { kind, payload in found.append("\(kind) \(payload.byteCount)") }
            }
        }
        return found
    }

    @Test(arguments: [1, 2, 3, 7, 100, 100_000])
    func `frames of every length are found in pieces of any`(piece: Int) {
        let bytes =
            frame(.text, [1, 2, 3]) + frame(.ping, []) + frame(.binary, Array(repeating: 7, count: 300))
            + frame(.text, Array(repeating: 7, count: 70_000)) + frame(.close, [3, 232])
        #expect(scan(bytes, piece: piece) == ["data 3", "ping 0", "data 300", "data 70000", "close 2"])
    }

    private func hear(_ text: [UInt8], _ dialect: Dialect, piece: Int) -> [Heard] {
        var stream = BrokerStream()
        var heard: [Heard] = []
        for start in stride(from: 0, to: text.count, by: piece) {
            Array(text[start..<min(start + piece, text.count)]).withRawSpan { span in
                stream.receive(span, as: dialect) { heard.append($0) }
            }
        }
        return heard
    }

    @Test(arguments: [1, 5, 1_000])
    func `a stream of NATS is read in pieces of any length`(piece: Int) {
        let text = "INFO {}\r\nPONG\r\nMSG fan 1 13\r\n\(Marker.text(5)).\r\nPING\r\n-ERR 'no'\r\n"
        #expect(hear(Array(text.utf8), .nats, piece: piece) == [.other, .ready, .delivery(5), .ping, .refused])
    }

    @Test(arguments: [1, 5, 1_000])
    func `a stream of MQTT is read in pieces of any length`(piece: Int) {
        let message = [0x30, 5 + 12] as [UInt8] + [0, 3] + Array("fan".utf8) + Marker.bytes(6)
        let bytes: [UInt8] = [0x20, 2, 0, 0] + [0x90, 3, 0, 1, 0] + message
        #expect(hear(bytes, .mqtt, piece: piece) == [.ok, .ready, .delivery(6)])
    }

    @Test(arguments: [
        (#"{"re":1,"ok":{"seq":5}}"#, Heard.ok), (#"{"re":1,"error":{"code":"x"}}"#, .refused),
        (#"{"seq":12,"type":"message","text":"~0000000003~"}"#, .delivery(3)),
        (#"{"seq":12,"type":"message.edited","text":"~0000000003~"}"#, .other),
        (#"{"seq":123456,"type":"notification","body":"~0000000004~"}"#, .delivery(4)),
        (#"{"type":"live","seq":3}"#, .other), ("{}", .other),
    ])
    func `the first bytes of a message show which message of the contract it is`(text: String, wanted: Heard) {
        var hint = 0
        let heard = Array(text.utf8).withRawSpan { Heard.watchwise($0, hint: &hint) }
        #expect(heard == wanted)
    }

    @Test func `connections beyond one address's ports come from the next`() throws {
        #expect(try SocketGroup.source(of: 0) == nil)
        #expect(try SocketGroup.source(of: 12_000)?.host == "127.0.0.2")
        #expect(try SocketGroup.source(of: 59_999)?.host == "127.0.0.5")
    }
}
