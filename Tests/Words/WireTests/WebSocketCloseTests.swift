import Testing
import Wire

@Suite struct WebSocketCloseTests {
    private func closeFrame(_ code: UInt16, _ reason: [UInt8] = []) -> [UInt8] {
        masked(.close, [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)] + reason)
    }

    @Test func `a close frame may be empty`() {
        #expect(webSocketEvents([masked(.close, "")]) == [.close(code: nil, reason: [])])
    }

    @Test(arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999])
    func `codes that may be sent are taken with their reason`(code: UInt16) {
        #expect(webSocketEvents([closeFrame(code, [0x6F, 0x6B])]) == [.close(code: code, reason: [0x6F, 0x6B])])
    }

    @Test(arguments: [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535])
    func `codes that must not be sent close with 1002`(code: UInt16) {
        #expect(violationCode(webSocketEvents([closeFrame(code)])) == 1002)
    }

    @Test func `a close frame of one byte closes with 1002`() {
        #expect(violationCode(webSocketEvents([masked(.close, [0x03])])) == 1002)
    }

    @Test(arguments: [[0xCE], [0xED, 0xA0, 0x80], [0xFF]] as [[UInt8]])
    func `a reason that is not UTF-8 closes with 1007`(reason: [UInt8]) {
        #expect(violationCode(webSocketEvents([closeFrame(1000, reason)])) == 1007)
    }

    @Test func `a reason may fill the frame`() {
        let reason = [UInt8](repeating: 0x61, count: 123)
        #expect(webSocketEvents([closeFrame(1000, reason)]) == [.close(code: 1000, reason: reason)])
    }

    @Test func `nothing is parsed after a close frame`() {
        let bytes = closeFrame(1000) + masked(.text, "late") + [0xFF, 0xFF]
        #expect(webSocketEvents([bytes, bytes]) == [.close(code: 1000, reason: [])])
        var connection = WebSocketConnection(role: .server, messageBytesMax: 10)
        var events: [WebSocketEvent] = []
        #expect(!connection.isFinished)
        connection.receive(bytes, into: &events)
        #expect(connection.isFinished)
    }

    @Test func `a close frame inside a fragmented message ends the connection`() {
        #expect(
            webSocketEvents([masked(.text, "a", isFinal: false) + closeFrame(1001)])
                == [.close(code: 1001, reason: [])]
        )
    }

    @Test func `a reason that is too long is cut at a character's end`() {
        let frame = FrameEncoder.close(code: 4501, reason: String(repeating: "é", count: 100))
        #expect(frame.count == 2 + 2 + 122)
        #expect(
            webSocketEvents([frame], role: .client)
                == [.close(code: 4501, reason: Array(String(repeating: "é", count: 61).utf8))]
        )
        #expect(FrameEncoder.close(code: nil) == [0x88, 0x00])
    }

    @Test func `the encoder refuses codes that must not travel`() async {
        await #expect(processExitsWith: .failure) { _ = FrameEncoder.close(code: 1006) }
    }

    @Test func `the encoder refuses a control frame over 125 bytes`() async {
        await #expect(processExitsWith: .failure) {
            _ = FrameEncoder.ping([UInt8](repeating: 0, count: 126))
        }
    }
}
