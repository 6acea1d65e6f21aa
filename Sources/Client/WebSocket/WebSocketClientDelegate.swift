/// Who owns what arrives on a WebSocket.
/// - Confinement: loop
package protocol WebSocketClientDelegate: AnyObject {
    /// The handshake succeeded.
    func opened(_ socket: WebSocketClient)

    /// A whole text message, checked to be UTF-8.
    func received(text: [UInt8], on socket: WebSocketClient)

    /// A whole binary message. Nothing by default.
    func received(binary: [UInt8], on socket: WebSocketClient)

    /// A ping or a pong came; pings are answered already. Nothing by default.
    func heard(on socket: WebSocketClient)

    /// The last word, exactly once, whatever the reason.
    func ended(_ socket: WebSocketClient, _ end: TransportEnd)
}

extension WebSocketClientDelegate {
    package func received(binary: [UInt8], on socket: WebSocketClient) {}
    package func heard(on socket: WebSocketClient) {}
}
