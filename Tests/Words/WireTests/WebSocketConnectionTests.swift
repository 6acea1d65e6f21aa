import Testing
import Wire

@Suite struct WebSocketConnectionTests {
    private let hello = Array("Hello".utf8)

    // RFC 6455 section 5.7.
    @Test func `a single-frame unmasked text message of section 5-7`() {
        #expect(webSocketEvents([[0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]], role: .client) == [.text(hello)])
        #expect(FrameEncoder.text(hello) == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
    }

    @Test func `a single-frame masked text message of section 5-7`() {
        let frame: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        #expect(webSocketEvents([frame]) == [.text(hello)])
        #expect(masked(.text, hello) == frame)
    }

    @Test func `a fragmented unmasked text message of section 5-7`() {
        let frames: [UInt8] = [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F]
        #expect(webSocketEvents([frames], role: .client) == [.text(hello)])
    }

    @Test func `a ping and its masked pong of section 5-7`() {
        #expect(webSocketEvents([[0x89, 0x05] + hello], role: .client) == [.ping(hello)])
        let pong: [UInt8] = [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        #expect(webSocketEvents([pong]) == [.pong(hello)])
        #expect(FrameEncoder.pong(hello) == [0x8A, 0x05] + hello)
    }

    @Test(arguments: [(256, [0x82, 0x7E, 0x01, 0x00]), (65_536, [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0])])
    func `binary messages of 256 bytes and 64 KiB of section 5-7`(count: Int, head: [UInt8]) {
        let payload = [UInt8](repeating: 0xA5, count: count)
        #expect(webSocketEvents([head + payload], role: .client) == [.binary(payload)])
        #expect(FrameEncoder.binary(payload) == head + payload)
    }

    @Test func `control frames come between the fragments of a message`() {
        let bytes =
            masked(.text, "Hel", isFinal: false) + masked(.ping, "a") + masked(.continuation, "", isFinal: false)
            + masked(.pong, "b") + masked(.continuation, "lo") + masked(.binary, "x")
        #expect(
            webSocketEvents([bytes])
                == [.ping(Array("a".utf8)), .pong(Array("b".utf8)), .text(hello), .binary(Array("x".utf8))]
        )
    }

    @Test func `a character may be cut between fragments`() {
        let bytes = Array("κ".utf8)
        let frames = masked(.text, [bytes[0]], isFinal: false) + masked(.continuation, [bytes[1]])
        #expect(webSocketEvents([frames]) == [.text(bytes)])
    }

    @Test func `empty messages are messages`() {
        #expect(webSocketEvents([masked(.text, "") + masked(.binary, "")]) == [.text([]), .binary([])])
    }

    @Test(
        arguments: [
            ("RSV1 without compression", [0xC1, 0x80], 1002), ("RSV2", [0xA1], 1002), ("RSV3", [0x91], 1002),
            ("opcode 3", [0x83], 1002), ("opcode 7", [0x87], 1002), ("opcode B", [0x8B], 1002),
            ("opcode F", [0x8F], 1002), ("a fragmented ping", [0x09], 1002), ("a fragmented close", [0x08], 1002),
            ("no mask", [0x81, 0x00], 1002), ("a ping over 125 bytes", [0x89, 0xFE], 1002),
            ("a close over 125 bytes", [0x88, 0xFF], 1002), ("16 bits for 125", [0x81, 0xFE, 0x00, 0x7D], 1002),
            ("64 bits for 65535", [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 1002),
            ("the length's top bit", [0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], 1002),
            ("a continuation of nothing", [0x80, 0x80, 0, 0, 0, 0], 1002),
            ("2^62 bytes", [0x82, 0xFF, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1009),
        ] as [(String, [UInt8], UInt16)]
    )
    func `a head that breaks the rules is refused before its payload`(name: String, head: [UInt8], code: UInt16) {
        let events = webSocketEvents([head + masked(.text, "later")])
        guard case .violation(let violation)? = events.first, events.count == 1 else {
            Issue.record("\(name) gave \(events)")
            return
        }
        #expect(violation.closeCode == code)
        #expect(webSocketEvents([head]) == events)
    }

    @Test func `a masked frame from a server closes with 1002`() {
        #expect(violationCode(webSocketEvents([masked(.text, "x")], role: .client)) == 1002)
    }

    @Test func `a new message inside a fragmented one closes with 1002`() {
        #expect(violationCode(webSocketEvents([masked(.text, "a", isFinal: false) + masked(.text, "b")])) == 1002)
    }

    @Test func `a message one byte too big closes with 1009 at its head`() {
        let whole = masked(.binary, [UInt8](repeating: 0, count: 11))
        #expect(webSocketEvents([masked(.binary, [UInt8](repeating: 0, count: 10))], messageBytesMax: 10).count == 1)
        #expect(violationCode(webSocketEvents([Array(whole.prefix(6))], messageBytesMax: 10)) == 1009)
        let parts = masked(.binary, [1, 2, 3, 4, 5, 6], isFinal: false) + masked(.continuation, [1, 2, 3, 4, 5])
        #expect(violationCode(webSocketEvents([Array(parts.dropLast(5))], messageBytesMax: 10)) == 1009)
    }

    @Test func `invalid text closes with 1007 at the first wrong byte, not at the end`() {
        let frame = masked(.text, [0xCE, 0xBA, 0xED, 0xA0, 0x80] + [UInt8](repeating: 0x61, count: 1_000))
        #expect(webSocketEvents([Array(frame.prefix(8 + 3))]).isEmpty)
        #expect(violationCode(webSocketEvents([Array(frame.prefix(8 + 4))])) == 1007)
        #expect(violationCode(webSocketEvents([frame])) == 1007)
    }

    @Test func `text that ends inside a character closes with 1007`() {
        #expect(violationCode(webSocketEvents([masked(.text, [0xCE])])) == 1007)
        let parts = masked(.text, [0xCE], isFinal: false) + masked(.continuation, [])
        #expect(violationCode(webSocketEvents([parts])) == 1007)
    }

    @Test func `binary may be anything`() {
        #expect(webSocketEvents([masked(.binary, [0xFF, 0xCE])]) == [.binary([0xFF, 0xCE])])
    }
}

/// The code of the violation that is the last event.
func violationCode(_ events: [WebSocketEvent]) -> UInt16? {
    if case .violation(let violation)? = events.last { violation.closeCode } else { nil }
}
