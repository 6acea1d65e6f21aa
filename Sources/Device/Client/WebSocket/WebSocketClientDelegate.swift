package import Session

/// Receives the events of a WebSocket.
/// - Confinement: loop
package protocol WebSocketClientDelegate: AnyObject {
    /// The handshake succeeded.
    func opened(_ socket: WebSocketClient)

    /// A complete text message, checked to be UTF-8.
    func received(text: [UInt8], on socket: WebSocketClient)

    /// A complete binary message. Does nothing by default.
    func received(binary: [UInt8], on socket: WebSocketClient)

    /// A ping or a pong arrived; pings are already answered. Does nothing by default.
    func heard(on socket: WebSocketClient)

    /// The last call, exactly once, whatever the reason.
    func ended(_ socket: WebSocketClient, _ end: TransportEnd)
}

extension WebSocketClientDelegate {
    package func received(binary: [UInt8], on socket: WebSocketClient) {}
    package func heard(on socket: WebSocketClient) {}
}
