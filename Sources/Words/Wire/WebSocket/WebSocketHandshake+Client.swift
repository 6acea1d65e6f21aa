import Digits

extension WebSocketHandshake {
    /// A client's request; the same value checks the answer.
    ///
    /// - Confinement: any
    package struct Offer: Sendable, Hashable {
        /// `host` or `host:port`.
        package var host: String
        /// Path and query, percent-encoded.
        package var target: String
        /// The offered subprotocols, the preferred one first.
        package var subprotocols: [String]
        /// The value of `Sec-WebSocket-Extensions`, if extensions are offered.
        package var extensions: String?
        /// Further fields, for example `Authorization`.
        package var headers: HTTPHeaders
        /// The nonce in base64.
        private let key: String

        /// An offer with a nonce.
        ///
        /// - Parameter key: 16 random bytes, different for each connection (section 4.1).
        package init(
            host: String,
            target: String,
            subprotocols: [String] = [],
            extensions: String? = nil,
            headers: HTTPHeaders = [:],
            key: [UInt8]
        ) {
            precondition(key.count == 16, "the key of a WebSocket handshake has 16 bytes")
            self.host = host
            self.target = target
            self.subprotocols = subprotocols
            self.extensions = extensions
            self.headers = headers
            self.key = Base64.padded.text(of: key)
        }

        /// The request.
        package func encoded() throws(HTTPEncodingError) -> [UInt8] {
            var bytes = try HTTPRequest.head(method: "GET", target: target, host: host)
            HTTPHeadEncoder.appendLine("Upgrade: websocket", to: &bytes)
            HTTPHeadEncoder.appendLine("Connection: Upgrade", to: &bytes)
            HTTPHeadEncoder.appendLine("Sec-WebSocket-Version: 13", to: &bytes)
            HTTPHeadEncoder.appendLine("Sec-WebSocket-Key: ", key, to: &bytes)
            if !subprotocols.isEmpty {
                let list = subprotocols.joined(separator: ", ")
                try HTTPHeadEncoder.append("Sec-WebSocket-Protocol", list, to: &bytes)
            }
            if let extensions { try HTTPHeadEncoder.append("Sec-WebSocket-Extensions", extensions, to: &bytes) }
            try HTTPHeadEncoder.append(headers, to: &bytes)
            HTTPHeadEncoder.appendLine(to: &bytes)
            return bytes
        }

        /// Checks the server's answer (section 4.1, second half).
        ///
        /// - Returns: the selected subprotocol, if any, and the accepted extensions; the caller must check their
        ///   parameters.
        package func check(
            _ head: HTTPResponseHead,
            sha1: SHA1
        ) throws(AnswerError) -> (subprotocol: String?, extensions: [WebSocketExtension]) {
            guard head.status == 101 else { throw .refused(status: head.status) }
            guard head.version == .http11, head.headers.listContains("Upgrade", "websocket"),
                head.headers.listContains("Connection", "upgrade")
            else { throw .notAnUpgrade }
            let accepts = head.headers.values("Sec-WebSocket-Accept")
            guard accepts == [acceptValue(key: key, sha1: sha1)] else { throw .wrongAcceptValue }
            let selected = head.headers.values("Sec-WebSocket-Protocol")
            guard selected.count <= 1, selected.allSatisfy(subprotocols.contains) else { throw .unexpectedSubprotocol }
            guard let accepted = WebSocketExtension.parse(head.headers) else { throw .unexpectedExtension }
            guard accepted.allSatisfy({ isOffered($0) }) else { throw .unexpectedExtension }
            return (selected.first, accepted)
        }

        private func isOffered(_ accepted: WebSocketExtension) -> Bool {
            guard let extensions else { return false }
            let offered = WebSocketExtension.parse(["Sec-WebSocket-Extensions": extensions]) ?? []
            return offered.contains { HTTPSyntax.isEqualIgnoringCase($0.name, accepted.name) }
        }
    }

    /// Why a server's answer does not complete the handshake.
    ///
    /// - Confinement: any
    package enum AnswerError: Error, Sendable, Hashable {
        /// The server answered with another status; the answer is a normal response.
        case refused(status: Int)
        /// A 101 that does not switch to WebSocket.
        case notAnUpgrade
        /// The answer was not made from the key: the peer is not a WebSocket server, or a cache answered.
        case wrongAcceptValue
        /// The server selected a subprotocol that was not offered.
        case unexpectedSubprotocol
        /// The server accepted an extension that was not offered.
        case unexpectedExtension
    }
}
