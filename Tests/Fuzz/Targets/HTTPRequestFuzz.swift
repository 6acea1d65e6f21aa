import Model
import Wire

/// Requests of a connection: the events do not depend on how bytes were cut, and a request that was read can be sent
/// and read again.
struct HTTPRequestFuzz: FuzzTarget {
    static let name = "HTTPRequest"

    private let limits: HTTPLimits

    init() {
        // Small limits, so that short inputs reach them.
        var limits = HTTPLimits()
        limits.targetBytesMax = 200
        limits.headerBytesMax = 600
        limits.headerCountMax = 12
        limits.bodyBytesMax = 400
        limits.chunkExtensionBytesMax = 40
        limits.trailerBytesMax = 60
        self.limits = limits
    }

    func check(_ input: [UInt8]) throws {
        let events = events([input])
        for pieces in Cuts.of(input) { try expect(self.events(pieces), equals: events, "cut") }
        var head: HTTPRequestHead?
        var body: [UInt8] = []
        for event in events {
            switch event {
            case .head(let found):
                head = found
                body = []
            case .body(let bytes):
                body += bytes
                try expect(body.count <= limits.bodyBytesMax, "a body of \(body.count) bytes")
            case .end:
                if let head { try checkRoundTrip(head, body) }
                head = nil
            case .violation(let status, let reason):
                try expect((400...599).contains(status) && !reason.isEmpty, "violation \(status) \(reason)")
            }
        }
    }

    /// A request that was read, sent by the encoder and read again is the same.
    private func checkRoundTrip(_ head: HTTPRequestHead, _ body: [UInt8]) throws {
        _ = (head.pathSegments, head.query, head.isKeepAlive, head.expectsContinue, head.authority)
        var headers = HTTPHeaders()
        for field in head.headers.fields where !Self.framing.contains(field.name.lowercased()) {
            headers.append(field.name, field.value)
        }
        let request = HTTPRequest(method: head.method, target: head.target.text, headers: headers, body: body)
        guard let bytes = try? request.encoded(host: "localhost") else { return }
        var parser = HTTPRequestParser()
        var events: [HTTPRequestEvent] = []
        parser.receive(bytes, into: &events)
        guard case .head(let again)? = events.first, events.last == .end else {
            throw Finding(description: "sent again, it is refused: \(events)")
        }
        try expect(again.method, equals: head.method, "method")
        try expect(again.target, equals: head.target, "target")
        let fields = again.headers.fields.filter { !Self.framing.contains($0.name.lowercased()) }
        try expect(fields, equals: headers.fields, "headers")
        try expect(events.dropFirst().dropLast().map { $0 }, equals: body.isEmpty ? [] : [.body(body)], "body")
    }

    private static let framing: Set = [
        "host", "content-length", "transfer-encoding", "connection", "upgrade", "expect",
    ]

    /// The events of a fresh parser that continues after each request; the pieces of a body are joined.
    private func events(_ pieces: [[UInt8]]) -> [HTTPRequestEvent] {
        var parser = HTTPRequestParser(limits: limits)
        var joined: [HTTPRequestEvent] = []
        for piece in pieces {
            var events: [HTTPRequestEvent] = []
            parser.receive(piece, into: &events)
            var index = 0
            while index < events.count {
                let event = events[index]
                index += 1
                if case .body(let more) = event, case .body(let body)? = joined.last {
                    joined[joined.count - 1] = .body(body + more)
                } else {
                    joined.append(event)
                }
                if event == .end { parser.nextRequest(into: &events) }
            }
        }
        return joined
    }
}
