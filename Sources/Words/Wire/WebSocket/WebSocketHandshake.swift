import Digits

/// The opening handshake of RFC 6455: section 4.2 on the server, 4.1 on the client. SHA-1 and the random key are
/// parameters.
///
/// - Confinement: any
package enum WebSocketHandshake {
    /// The SHA-1 digest of some bytes: 20 bytes.
    package typealias SHA1 = (_ bytes: [UInt8]) -> [UInt8]

    /// The subprotocols of an endpoint.
    package enum Subprotocols: Sendable, Hashable {
        /// All: the first offered one is selected, because browsers give up when none is; an offer is not needed.
        case any
        /// These, in the order of preference. One of them is selected when offered. The first one is assumed when none
        /// is offered at all. An offer with only other ones is refused.
        case oneOf([String])
    }

    /// A valid handshake of a client, to be answered by ``answer(_:extensions:headers:sha1:)``.
    package struct Acceptance: Sendable, Hashable {
        /// The client's key as sent.
        package let key: String
        /// The subprotocol for the answer; nil if none was offered.
        package let subprotocol: String?
        /// The offered extensions, in the client's order of preference.
        package let extensions: [WebSocketExtension]
    }

    /// An invalid handshake, with the response for it.
    package struct Refusal: Error, Sendable, Hashable {
        /// 400, 405 or 426.
        package let status: Int
        /// A short ASCII sentence for the response's body and the log; it never quotes the client.
        package let reason: String
        /// Further fields of the response: `Allow`, or for example `Sec-WebSocket-Version`.
        package let headers: HTTPHeaders

        init(_ status: Int, _ reason: String, headers: HTTPHeaders = [:]) {
            self.status = status
            self.reason = reason
            self.headers = headers
        }
    }

    /// Checks a client's handshake (section 4.2.1).
    ///
    /// - Parameters:
    ///   - head: The request's head.
    ///   - subprotocols: Those of this endpoint.
    package static func check(
        _ head: HTTPRequestHead,
        subprotocols: Subprotocols
    ) throws(Refusal) -> Acceptance {
        guard head.method == "GET" else {
            throw Refusal(405, "a WebSocket handshake is a GET", headers: ["Allow": "GET"])
        }
        guard head.version == .http11 else { throw Refusal(400, "a WebSocket handshake needs HTTP/1.1") }
        guard !head.hasBody else { throw Refusal(400, "a WebSocket handshake has no body") }
        guard head.headers.listContains("Upgrade", "websocket") else {
            throw Refusal(426, "this is a WebSocket endpoint", headers: ["Sec-WebSocket-Version": "13"])
        }
        guard head.headers.listContains("Connection", "upgrade") else {
            throw Refusal(400, "Connection does not name Upgrade")
        }
        try checkVersion(head.headers)
        let keys = head.headers.values("Sec-WebSocket-Key")
        guard keys.count == 1, let key = keys.first,
            Base64.padded.decode(Array(key.utf8), ignoresRest: true)?.count == 16
        else {
            throw Refusal(400, "Sec-WebSocket-Key is not 16 bytes in base64, once")
        }
        guard let extensions = WebSocketExtension.parse(head.headers) else {
            throw Refusal(400, "invalid Sec-WebSocket-Extensions")
        }
        let subprotocol = try select(head.headers, subprotocols)
        return Acceptance(key: key, subprotocol: subprotocol, extensions: extensions)
    }

    /// The server's answer, 101 (section 4.2.2).
    ///
    /// - Parameters:
    ///   - acceptance: The result of ``check(_:subprotocols:)``.
    ///   - extensions: The value of `Sec-WebSocket-Extensions`, if an offered one was accepted.
    ///   - headers: Further fields.
    ///   - sha1: The digest.
    package static func answer(
        _ acceptance: Acceptance,
        extensions: String? = nil,
        headers: HTTPHeaders = [:],
        sha1: SHA1
    ) throws(HTTPEncodingError) -> [UInt8] {
        var bytes: [UInt8] = []
        HTTPHeadEncoder.appendLine("HTTP/1.1 101 Switching Protocols", to: &bytes)
        HTTPHeadEncoder.appendLine("Upgrade: websocket", to: &bytes)
        HTTPHeadEncoder.appendLine("Connection: Upgrade", to: &bytes)
        let value = acceptValue(key: acceptance.key, sha1: sha1)
        try HTTPHeadEncoder.append("Sec-WebSocket-Accept", value, to: &bytes)
        if let subprotocol = acceptance.subprotocol {
            try HTTPHeadEncoder.append("Sec-WebSocket-Protocol", subprotocol, to: &bytes)
        }
        if let extensions { try HTTPHeadEncoder.append("Sec-WebSocket-Extensions", extensions, to: &bytes) }
        try HTTPHeadEncoder.append(headers, to: &bytes)
        HTTPHeadEncoder.appendLine(to: &bytes)
        return bytes
    }

    /// The proof that the server has read the key. It is not secret, it only distinguishes WebSocket servers from
    /// others.
    static func acceptValue(key: String, sha1: SHA1) -> String {
        Base64.padded.text(of: sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }

    /// Checks for version 13, once; for another version the answer names ours (section 4.4).
    private static func checkVersion(_ headers: HTTPHeaders) throws(Refusal) {
        let versions = headers.values("Sec-WebSocket-Version")
        guard versions.count <= 1 else { throw Refusal(400, "more than one Sec-WebSocket-Version") }
        guard versions.first == "13" else {
            throw Refusal(426, "only WebSocket version 13 is spoken here", headers: ["Sec-WebSocket-Version": "13"])
        }
    }

    private static func select(_ headers: HTTPHeaders, _ subprotocols: Subprotocols) throws(Refusal) -> String? {
        let offered = headers.list("Sec-WebSocket-Protocol")
        guard offered.allSatisfy({ HTTPSyntax.isToken(Array($0.utf8)) }), Set(offered).count == offered.count,
            !offered.isEmpty || headers["Sec-WebSocket-Protocol"] == nil
        else { throw Refusal(400, "invalid Sec-WebSocket-Protocol") }
        switch subprotocols {
        case .any:
            return offered.first
        case .oneOf(let supported):
            guard !offered.isEmpty else { return nil }
            guard let selected = supported.first(where: offered.contains) else {
                throw Refusal(400, "none of the subprotocols is spoken here")
            }
            return selected
        }
    }
}
