import Testing
import Wire

/// What a request takes in memory, which may be much more than it came in.
struct HeldBytesTests {
    private static let line = "GET /?" + Array(repeating: "a", count: 3950).joined(separator: "&") + " HTTP/1.1\r\n"

    @Test func `a query of thousands of items counts as what it is when it is read`() throws {
        let head = try #require(requestHead(requestEvents(Self.line + "Host: a\r\n\r\n")))
        #expect(head.query.count == 3950)
        #expect(head.heldBytes >= 3950 * 32 + 8000)
        #expect(head.heldBytes <= 3950 * 64 * 2)
    }

    @Test func `it counts before the head is whole, too`() {
        var parser = HTTPRequestParser()
        var events: [HTTPRequestEvent] = []
        parser.receive(Array((Self.line + "Ho").utf8), into: &events)
        #expect(parser.heldBytes >= 3950 * 32)
    }
}
