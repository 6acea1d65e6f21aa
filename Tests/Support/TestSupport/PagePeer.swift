package import JSON

/// A page in a browser that uses `fetch`: each request has a connection of its own and names the page's origin.
package struct PagePeer: Sendable {
    private let port: UInt16

    package init(port: UInt16) { self.port = port }

    /// Sends a request and waits for its answer.
    ///
    /// - Parameter origin: nil for a program that is no browser.
    package func ask(
        _ method: String, _ target: String, from origin: String?, token: String? = nil, body: JSONValue? = nil,
        _ more: [(String, String)] = []
    ) throws -> HTTPPeer.Answer {
        var headers = more
        if let origin { headers.append(("Origin", origin)) }
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        return try HTTPPeer(port: port).request(method, target, headers: headers, body: body.map(\.bytes))
    }
}

extension HTTPPeer.Answer {
    /// Whether no browser shows this answer to a page of another origin.
    package var saysNothingToPages: Bool { !headers.keys.contains { $0.hasPrefix("access-control-") } }
}
