package import JSON

extension HTTPPeer.Answer {
    /// The body as JSON.
    package func json() throws -> JSONValue { try JSONValue(parsing: body, depthMax: 64) }
}
