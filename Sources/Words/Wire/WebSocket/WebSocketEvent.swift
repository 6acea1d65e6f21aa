/// Something that a ``WebSocketConnection`` has found in the received bytes.
///
/// - Confinement: any
package enum WebSocketEvent: Sendable, Equatable {
    /// A whole text message, checked to be UTF-8.
    case text([UInt8])
    /// A whole binary message.
    case binary([UInt8])
    /// A ping, to be answered by a pong with the same payload (at most 125 bytes). If several wait, it is enough to
    /// answer the latest (RFC 6455 section 5.5.3).
    case ping([UInt8])
    /// A pong, requested or not.
    case pong([UInt8])
    /// The peer's close frame: `code` is nil if it had none, `reason` is UTF-8 of at most 123 bytes. This is the last
    /// event: the owner answers with a close frame unless it has sent one, and ends the connection.
    case close(code: UInt16?, reason: [UInt8])
    /// The peer broke the protocol. This is the last event: the owner sends a close frame with the violation's code and
    /// ends the connection.
    case violation(WebSocketViolation)
}

/// How a peer broke RFC 6455, with the close code for the answer.
///
/// - Confinement: any
package struct WebSocketViolation: Error, Sendable, Hashable {
    /// 1002, 1007, 1009 or 1011.
    package let closeCode: UInt16
    /// A short ASCII sentence for the close frame and the log; it never quotes the peer.
    package let reason: String

    static func protocolError(_ reason: String) -> WebSocketViolation {
        WebSocketViolation(closeCode: WebSocketCloseCode.protocolError, reason: reason)
    }

    static let invalidText = WebSocketViolation(
        closeCode: WebSocketCloseCode.invalidPayload,
        reason: "the text is not UTF-8"
    )
    static let notInflatable = WebSocketViolation(
        closeCode: WebSocketCloseCode.invalidPayload,
        reason: "the message cannot be inflated"
    )
    static let messageTooBig = WebSocketViolation(
        closeCode: WebSocketCloseCode.messageTooBig,
        reason: "the message is too big"
    )
}
