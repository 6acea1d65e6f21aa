import Model
import Testing
import Wire

@Suite struct HTTPLimitsTests {
    private var limits: HTTPLimits {
        var limits = HTTPLimits()
        limits.targetBytesMax = 20
        limits.headerBytesMax = 60
        limits.headerCountMax = 3
        limits.bodyBytesMax = 10
        limits.chunkExtensionBytesMax = 8
        limits.trailerBytesMax = 12
        return limits
    }

    private func status(_ text: String) -> Int? {
        violationStatus(requestEvents(text, limits: limits))
    }

    @Test func `a target too long is 414, also before its line ends`() {
        let target = "/" + String(repeating: "a", count: 19)
        #expect(status("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n") == nil)
        #expect(status("GET \(target)a HTTP/1.1\r\nHost: a\r\n\r\n") == 414)
        #expect(status("GET /" + String(repeating: "a", count: 80)) == 414)
    }

    @Test func `header lines too many or too long are 431, also before they end`() {
        let start = "GET / HTTP/1.1\r\nHost: a\r\n"
        #expect(status(start + "A: b\r\nC: d\r\n\r\n") == nil)
        #expect(status(start + "A: b\r\nC: d\r\nE: f\r\n\r\n") == 431)
        #expect(status(start + "A: " + String(repeating: "a", count: 46) + "\r\n\r\n") == nil)
        #expect(status(start + "A: " + String(repeating: "a", count: 47) + "\r\n\r\n") == 431)
        #expect(status(start + "A: " + String(repeating: "a", count: 60)) == 431)
        #expect(status(start + String(repeating: "a", count: 60)) == 431)
    }

    @Test func `a body too large is 413 at its head`() {
        let start = "POST / HTTP/1.1\r\nHost: a\r\n"
        #expect(status(start + "Content-Length: 10\r\n\r\n0123456789") == nil)
        #expect(requestEvents(start + "Content-Length: 11\r\n\r\n", limits: limits).count == 1)
        #expect(status(start + "Content-Length: 11\r\n\r\n") == 413)
    }

    @Test func `chunks are 413 when their sizes add up to too much`() {
        let start = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nHello\r\n"
        #expect(status(start + "5\r\nHello\r\n0\r\n\r\n") == nil)
        #expect(status(start + "6\r\n") == 413)
        #expect(status(start + "7FFFFFFFFFFFFFF\r\n") == 413)
    }

    @Test func `chunk extensions are bounded over the whole body`() {
        let start = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(status(start + "1;abc\r\nx\r\n1;abc\r\nx\r\n0\r\n\r\n") == nil)
        #expect(status(start + "1;abc\r\nx\r\n1;abc\r\nx\r\n0;\r\n\r\n") == 400)
        #expect(status(start + "1;" + String(repeating: "a", count: 30)) == 400)
    }

    @Test func `trailers too large are 431`() {
        let start = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
        #expect(status(start + "A: b\r\nC: d\r\n\r\n") == nil)
        #expect(status(start + "A: b\r\nC: d\r\nE: f\r\n\r\n") == 431)
    }
}
