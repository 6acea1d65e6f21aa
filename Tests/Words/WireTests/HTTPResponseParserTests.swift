import TestSupport
import Testing
import Wire

@Suite struct HTTPResponseParserTests {
    private func events(_ text: String, isHeadRequest: Bool = false, isEnded: Bool = false) -> [HTTPResponseEvent] {
        responseEvents([Array(text.utf8)], isHeadRequest: isHeadRequest, isEnded: isEnded)
    }

    private func isRefused(_ events: [HTTPResponseEvent]) -> Bool {
        if case .violation? = events.last { true } else { false }
    }

    @Test func `a body by length, in chunks and up to the end`() {
        let hello = HTTPResponseEvent.body(Array("Hello".utf8))
        #expect(events("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHello").dropFirst() == [hello, .end])
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nHe\r\n3;x\r\nllo\r\n0\r\n\r\n"
        #expect(events(chunked).dropFirst() == [hello, .end])
        #expect(events("HTTP/1.0 200 \r\n\r\nHello").dropFirst() == [hello])
        #expect(events("HTTP/1.0 200\r\n\r\nHello", isEnded: true).dropFirst() == [hello, .end])
    }

    @Test func `interim responses are skipped`() {
        let text =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"
        let found = events(text)
        #expect(found.count == 2 && found.last == .end)
        if case .head(let head)? = found.first { #expect(head.status == 204 && head.reason == "No Content") }
        #expect(isRefused(events(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 17))))
    }

    @Test(arguments: [204, 304])
    func `a status without content has none whatever its head says`(status: Int) {
        #expect(events("HTTP/1.1 \(status) x\r\nContent-Length: 5\r\n\r\n").last == .end)
    }

    @Test func `the answer to HEAD has no body`() {
        #expect(events("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", isHeadRequest: true).last == .end)
    }

    @Test(arguments: [
        "HTTP/1.1 2000 x\r\n\r\n", "HTTP/1.1 099 x\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1\r\n\r\n", "SSH-2.0-x\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 200 OK\nX: y\n\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n",
    ])
    func `answers that are not in order are refused`(text: String) {
        #expect(isRefused(events(text)) && events(text).count == 1)
    }

    @Test(arguments: ["", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHell"])
    func `an end in the middle of a response is a violation`(text: String) {
        #expect(isRefused(events(text, isEnded: true)) && !events(text).contains(.end))
    }

    @Test(arguments: [
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nHe\r\n3;x\r\nllo\r\n0\r\nA: b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHello", "HTTP/1.1 200 OK\r\n\r\nup to the end",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nHeX",
    ])
    func `events do not depend on how the bytes were cut`(text: String) {
        let disagreements = DecoderVerifier.disagreements(Array(text.utf8)) { responseEvents($0, isEnded: true) }
        #expect(disagreements.isEmpty, "\(disagreements)")
    }

    @Test func `random bytes never trap`() {
        let sound = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nHe\r\n0\r\n\r\n".utf8)
        for seed in 0..<10_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var bytes = sound
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            let cut = Int.random(in: 0...bytes.count, using: &random)
            #expect(
                responseEvents([bytes]) == responseEvents([Array(bytes[..<cut]), Array(bytes[cut...])]),
                "seed \(seed)"
            )
        }
    }
}
