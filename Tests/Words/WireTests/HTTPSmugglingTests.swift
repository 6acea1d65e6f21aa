import Testing
import Wire

/// Texts that a proxy in front could read in another way than we do (RFC 9112 section 11.2) are refused, and nothing
/// after them is parsed: each is followed by a request that must not be seen.
@Suite struct HTTPSmugglingTests {
    private let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

    /// Expects that the violation answers `text` and not the request after it: for a head, it is the only event.
    private func expectRefused(_ text: String, _ status: Int, isHeadRefused: Bool = true) {
        let events = requestEvents(text + smuggled)
        #expect(violationStatus(events) == status, "\(text.debugDescription) gave \(events)")
        #expect(!events.contains { if case .head(let head) = $0 { head.path == "/smuggled" } else { false } })
        #expect(!isHeadRefused || events.count == 1, "\(text.debugDescription) gave \(events)")
        if case .violation? = events.last {} else { Issue.record("the violation is not the last event") }
    }

    @Test(arguments: [
        ("Content-Length: 5\r\nTransfer-Encoding: chunked", 400),
        ("Transfer-Encoding: chunked\r\nContent-Length: 5", 400),
        ("Content-Length: 5\r\nContent-Length: 6", 400), ("Content-Length: 5\r\nContent-Length: 5", 400),
        ("Content-Length: 5, 5", 400), ("Content-Length: +5", 400), ("Content-Length: -1", 400),
        ("Content-Length: 0x5", 400), ("Content-Length: 5 5", 400), ("Content-Length:", 400),
        ("Content-Length: 5;", 400), ("Content-Length: ५", 400), ("Content-Length: 1e3", 400),
        ("Content-Length: 99999999999999999999999999", 413), ("Content-Length: 9223372036854775807", 413),
        ("Content-Length: 18446744073709551617", 413), ("Content-Length: 1048577", 413),
        ("Content-Length : 5", 400), ("Content-Length\t: 5", 400), (" Content-Length: 5", 400),
        ("X: y\r\n Content-Length: 5", 400), ("X: y\r\n\tfolded", 400), ("X: y\n Content-Length: 5", 400),
        ("X: y\nContent-Length: 5", 400), ("X: y\rContent-Length: 5", 400), ("X: y\r\r\nZ: y", 400),
        ("X: a\u{0}b", 400), ("X: a\u{7F}b", 400), ("X: a\u{B}b", 400), ("X\u{0}: a", 400), ("no colon", 400),
        (": empty name", 400), ("Bad(name): x", 400), ("Bäd: x", 400), ("X Y: x", 400),
        ("Transfer-Encoding: gzip", 400), ("Transfer-Encoding: identity", 400), ("Transfer-Encoding:", 400),
        ("Transfer-Encoding: xchunked", 400), ("Transfer-Encoding: chunked, chunked", 400),
        ("Transfer-Encoding: chunked, gzip", 400), ("Transfer-Encoding: gzip, chunked", 501),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", 400),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip", 400), ("Transfer-Encoding: \"chunked\"", 400),
        ("Transfer-Encoding: chunked;q=1", 400), ("Transfer-Encoding: ,chunked", 400),
        ("Transfer-Encoding: \u{B}chunked", 400), ("Transfer-Encoding : chunked", 400),
        ("Host: b", 400), ("host: a", 400), ("Authorization: Bearer a\r\nauthorization: Bearer b", 400),
        ("Origin: https://a.org\r\nX: y\r\nOrigin: null", 400),
        ("Idempotency-Key: 1\r\nIDEMPOTENCY-KEY: 1", 400),
    ])
    func `headers that two servers might read in two ways`(lines: String, status: Int) {
        expectRefused("POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n", status)
    }

    @Test(arguments: [
        "5\nHello\r\n0\r\n\r\n", "5\rHello\r\n0\r\n\r\n", "5 \r\nHello\r\n0\r\n\r\n", " 5\r\nHello\r\n0\r\n\r\n",
        "0x5\r\nHello\r\n0\r\n\r\n", "+5\r\nHello\r\n0\r\n\r\n", "-5\r\nHello\r\n0\r\n\r\n", "\r\n", ";x\r\n", "g\r\n",
        "5\r\nHello0\r\n\r\n", "5\r\nHello\n0\r\n\r\n", "5\r\nHello\r0\r\n\r\n", "5\r\nHelloX\r\n0\r\n\r\n",
        "5;a\nb\r\nHello\r\n0\r\n\r\n", "5 ;a\r\nHello\r\n0\r\n\r\n", "FFFFFFFFFFFFFFFF\r\n", "10000000000000005\r\n",
        "0\r\nContent-Length : 5\r\n\r\n", "0\r\n folded\r\n\r\n", "0\r\nX: y\n\r\n", "0\n\n", "0\r\nno colon\r\n\r\n",
    ])
    func `chunks that two servers might read in two ways`(body: String) {
        expectRefused(
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)",
            400,
            isHeadRefused: false
        )
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost:\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a:99999\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a:80:80\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
        ("GET / HTTP/1.1\nHost: a\n\n", 400), ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400), (" GET / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /\r\n", 400), ("GET\r\n", 400),
        ("G@T / HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET / http/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET / HTTP/1.1x\r\nHost: a\r\n\r\n", 400), ("GET / HTTP/11\r\nHost: a\r\n\r\n", 400),
        ("GET / HTTP/0.9\r\nHost: a\r\n\r\n", 505), ("GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505),
        ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505), ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        ("CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 501),
        ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
        ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("\u{16}\u{3}\u{1}\u{2}\u{0}", 400),
    ])
    func `first lines and hosts that are not in order`(text: String, status: Int) {
        expectRefused(text, status)
    }

    @Test(arguments: ["GET /\r\n", "\u{16}\u{3}", "GET / HTTP/3.0\r\n", "hello\r\n", "GET / HTTP/1.1\r\nHost : a\r\n"])
    func `a line is judged when it is there, without waiting for the head's end`(text: String) {
        #expect(violationStatus(requestEvents(text)) != nil)
    }

    @Test(arguments: ["Host: a\r\n", ""])
    func `HTTP 1-0 needs no host`(line: String) {
        #expect(requestHead(requestEvents("GET / HTTP/1.0\r\n\(line)\r\n")) != nil)
    }

    @Test(arguments: ["a", "a:80", "a:", "127.0.0.1:8080", "[::1]", "[::1]:8080", "xn--caf-dma.example"])
    func `valid hosts are taken`(host: String) {
        #expect(requestHead(requestEvents("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n"))?.authority == host)
    }
}
