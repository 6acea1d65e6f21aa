/// A request for a client to send (RFC 9112 section 3). The encoder writes `Host`, `Content-Length` and `Connection`.
///
/// - Confinement: any
package struct HTTPRequest: Sendable, Hashable {
    /// A token, for example `GET`.
    package var method: String
    /// Path and query, percent-encoded.
    package var target: String
    /// Header fields except those that frame the message.
    package var headers: HTTPHeaders
    /// The content; every POST, PUT and PATCH gets a `Content-Length`, and every other request with a body.
    package var body: [UInt8]

    /// A request with a whole body.
    package init(method: String, target: String, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// The whole message.
    ///
    /// - Parameters:
    ///   - host: `host` or `host:port`.
    ///   - isKeepAlive: false adds `Connection: close`.
    package func encoded(host: String, isKeepAlive: Bool = true) throws(HTTPEncodingError) -> [UInt8] {
        var bytes = try Self.head(method: method, target: target, host: host)
        try HTTPHeadEncoder.append(headers, to: &bytes)
        if !body.isEmpty || ["POST", "PUT", "PATCH"].contains(method) {
            HTTPHeadEncoder.appendLine("Content-Length: ", String(body.count), to: &bytes)
        }
        if !isKeepAlive { HTTPHeadEncoder.appendLine("Connection: close", to: &bytes) }
        HTTPHeadEncoder.appendLine(to: &bytes)
        bytes.append(contentsOf: body)
        return bytes
    }

    /// The request line and the `Host` field.
    static func head(method: String, target: String, host: String) throws(HTTPEncodingError) -> [UInt8] {
        guard HTTPSyntax.isToken(Array(method.utf8)) else { throw .invalidMethod }
        guard !target.isEmpty, target.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw .invalidTarget
        }
        guard HTTPAuthority.isValid(Array(host.utf8)[...]) else { throw .invalidHost }
        var bytes: [UInt8] = []
        HTTPHeadEncoder.appendLine(method, " ", target, " HTTP/1.1", to: &bytes)
        HTTPHeadEncoder.appendLine("Host: ", host, to: &bytes)
        return bytes
    }
}
