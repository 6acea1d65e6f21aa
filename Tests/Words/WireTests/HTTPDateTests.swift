import Model
import Testing
import Wire

/// The field `Date` of answers.
struct HTTPDateTests {
    @Test(
        arguments: [
            (784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400_999, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_795_988_461_500, "Sun, 29 Nov 2026 21:41:01 GMT"), (.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)])
    func `a time has the form of RFC 9110`(milliseconds: Int64, text: String) {
        let date = HTTPDate()
        let now = Timestamp(milliseconds: milliseconds)
        #expect(date.text(at: now) == text)
        #expect(String(decoding: date.line(at: now), as: UTF8.self) == "Date: \(text)\r\n")
    }

    @Test func `the text changes with the second, also backwards`() {
        let date = HTTPDate()
        let texts = [1000, 1999, 2000, 1500].map { date.text(at: Timestamp(milliseconds: $0)).suffix(6).prefix(2) }
        #expect(texts == ["01", "01", "02", "01"])
    }

    @Test func `a response bears it before its length`() throws {
        let line = HTTPDate().line(at: Timestamp(milliseconds: 0))
        let bytes = try HTTPResponse(status: 200, headers: ["A": "b"]).encoded(isKeepAlive: true, date: line)
        #expect(
            String(decoding: bytes, as: UTF8.self).hasPrefix(
                "HTTP/1.1 200 OK\r\nA: b\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Length: 0\r\n"))
    }
}
