import Model
import Testing
import Wire

/// The memory of a request, which may be much more than its bytes on the wire.
struct HeldBytesTests {
    private static let items = HTTPLimits.queryItemsMax
    private static let line = "GET /?" + Array(repeating: "a", count: items).joined(separator: "&") + " HTTP/1.1\r\n"

    @Test func `a query of many items counts with the memory of its items`() throws {
        let head = try #require(requestHead(requestEvents(Self.line + "Host: a\r\n\r\n")))
        #expect(head.query.count == Self.items)
        #expect(head.heldBytes >= Self.items * 32)
        #expect(head.heldBytes <= Self.items * 64 * 2)
    }

    @Test(arguments: [
        ("/?" + String(repeating: "a&", count: 256), "a query has at most 256 items"),
        ("/" + String(repeating: "a/", count: 64), "a path has at most 64 segments"),
    ])
    func `a target of more parts is refused before they are decoded`(target: String, reason: String) {
        let events = requestEvents("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        guard case .violation(let status, let said)? = events.first else { Issue.record("\(events)"); return }
        #expect(status == 400 && said == reason)
    }

    @Test func `a query counts before the head is whole, too`() {
        var parser = HTTPRequestParser()
        var events: [HTTPRequestEvent] = []
        parser.receive(Array((Self.line + "Ho").utf8), into: &events)
        #expect(parser.heldBytes >= Self.items * 32)
    }
}
