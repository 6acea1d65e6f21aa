/// An HTTP/1.1 client of a test: raw requests out, answers in; knows Content-Length and chunks.
///
/// It does not use the modules under test, so that their misunderstandings are not shared by the tests.
/// - Confinement: one thread at a time
package final class HTTPPeer {
    /// An answer.
    package struct Answer: Sendable {
        package let status: Int
        /// Names in small letters.
        package let headers: [String: String]
        package let body: [UInt8]
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package let socket: TCPSocket
    private var held: [UInt8] = []
    private var offset = 0

    package init(port: UInt16) throws { socket = try TCPSocket(port: port) }

    /// Sends a request and waits for its answer.
    package func request(
        _ method: String,
        _ target: String,
        headers: [(String, String)] = [],
        body: [UInt8]? = nil
    ) throws -> Answer {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let body { text += "Content-Length: \(body.count)\r\n" }
        try socket.send(Array((text + "\r\n").utf8) + (body ?? []))
        return try answer(isHead: method == "HEAD")
    }

    /// Waits for the next answer.
    /// - Throws: when the peer ends before the answer is complete.
    package func answer(isHead: Bool = false) throws -> Answer {
        let end = Array("\r\n\r\n".utf8)
        var headEnd = held.firstIndex(of: end, from: offset)
        while headEnd == nil {
            try readMore()
            headEnd = held.firstIndex(of: end, from: offset)
        }
        let head = String(decoding: held[offset..<(headEnd ?? 0)], as: UTF8.self)
        offset = (headEnd ?? 0) + end.count
        var lines = head.split(separator: "\r\n").map(String.init)
        let start = lines.removeFirst().split(separator: " ")
        guard start.count >= 2, start[0] == "HTTP/1.1", let status = Int(start[1]) else {
            throw TCPSocket.Failure(description: "no status line: \(head)")
        }
        var headers: [String: String] = [:]
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        }
        if headers["transfer-encoding"] == "chunked" {
            return Answer(status: status, headers: headers, body: try chunks())
        }
        let hasBody = !isHead && status >= 200 && status != 204 && status != 304
        let count = hasBody ? Int(headers["content-length"] ?? "0") ?? 0 : 0
        while held.count - offset < count { try readMore() }
        let body = Array(held[offset..<(offset + count)])
        offset += count
        return Answer(status: status, headers: headers, body: body)
    }

    /// The chunks up to the last one.
    private func chunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            var lineEnd = held.firstIndex(of: [13, 10], from: offset)
            while lineEnd == nil {
                try readMore()
                lineEnd = held.firstIndex(of: [13, 10], from: offset)
            }
            let line = String(decoding: held[offset..<(lineEnd ?? 0)], as: UTF8.self)
            guard let count = Int(line, radix: 16) else { throw TCPSocket.Failure(description: "no chunk: \(line)") }
            offset = (lineEnd ?? 0) + 2
            while held.count - offset < count + 2 { try readMore() }
            body += held[offset..<(offset + count)]
            offset += count + 2
            if count == 0 { return body }
        }
    }

    /// Whether the peer ends the connection without sending more.
    package func isEnded() throws -> Bool {
        guard offset == held.count else { return false }
        return try socket.receive().isEmpty
    }

    private func readMore() throws {
        let bytes = try socket.receive()
        guard !bytes.isEmpty else { throw TCPSocket.Failure(description: "the connection ended inside an answer") }
        held.removeFirst(offset)
        offset = 0
        held += bytes
    }
}

extension [UInt8] {
    /// The first index of `other`, searched from an index on.
    package func firstIndex(of other: [UInt8], from start: Int = 0) -> Int? {
        guard count - start >= other.count else { return nil }
        return (start...(count - other.count)).first {
            self[$0] == other[0] && self[$0..<($0 + other.count)].elementsEqual(other)
        }
    }
}
