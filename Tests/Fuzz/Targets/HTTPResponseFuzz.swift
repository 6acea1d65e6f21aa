import Wire

/// A response of a server: the events do not depend on how bytes were cut. The first byte of an input says whether the
/// request was HEAD (bit 0) and whether the server closes the connection (bit 1).
struct HTTPResponseFuzz: FuzzTarget {
    static let name = "HTTPResponse"

    init() {}

    func check(_ input: [UInt8]) throws {
        guard let options = input.first else { return }
        let bytes = Array(input.dropFirst())
        let events = events([bytes], options)
        for pieces in Cuts.of(bytes) { try expect(self.events(pieces, options), equals: events, "cut") }
        for case .head(let head) in events {
            try expect((200...999).contains(head.status) || head.status == 101, "status \(head.status)")
            _ = (head.isKeepAlive, WebSocketExtension.parse(head.headers))
        }
    }

    private func events(_ pieces: [[UInt8]], _ options: UInt8) -> [HTTPResponseEvent] {
        let isHeadRequest = options & 1 != 0
        var parser = HTTPResponseParser(isHeadRequest: isHeadRequest)
        var events: [HTTPResponseEvent] = []
        for piece in pieces { parser.receive(piece, into: &events) }
        if options & 2 != 0 { parser.receiveEnd(into: &events) }
        var joined: [HTTPResponseEvent] = []
        for event in events {
            if case .body(let more) = event, case .body(let body)? = joined.last {
                joined[joined.count - 1] = .body(body + more)
            } else {
                joined.append(event)
            }
        }
        return joined
    }
}
