package import ClientProtocol

/// An action for the owner of a ``ClientSessionState``; the order matters.
/// - Confinement: any
package enum ClientSessionAction: Sendable, Equatable {
    /// Open a WebSocket; then call `opened` or `transportEnded`.
    case connect
    /// Send a text message.
    case send([UInt8])
    /// End the WebSocket; `transportEnded` follows.
    case disconnect(code: UInt16)
    /// Get a new token and call `renew` or `renewalFailed`.
    case renewToken
    /// The store may move its cursor to here, although no event says so; only if the owner stores events.
    case reached(ResumePoint)
    case report(ClientSessionReport)
}
