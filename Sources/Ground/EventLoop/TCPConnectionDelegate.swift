/// Receives the events of a connection.
///
/// The connection holds its delegate until it has called `closed`, so a connection always has a delegate. A delegate
/// may hold its connection: that call ends the cycle.
/// - Confinement: loop
package protocol TCPConnectionDelegate: AnyObject {
    /// The outgoing connection is open. Not called for accepted ones. Does nothing by default.
    func connected(on connection: TCPConnection)

    /// Bytes arrived. They are in the loop's read buffer and invalid after the call: copy what you keep.
    func received(_ bytes: RawSpan, on connection: TCPConnection)

    /// Bytes arrived that the layer keeps, because their record is incomplete. Does nothing by default.
    func receivedPart(on connection: TCPConnection)

    /// The queue was above the high mark and has fallen to the low mark. Never called during `write`.
    func drained(on connection: TCPConnection)

    /// The turn has come that the delegate asked for with `yieldTurn`. Does nothing by default.
    func turnCame(on connection: TCPConnection)

    /// The last call, exactly once, after the handle is closed.
    /// - Parameter error: nil when this side closed or the peer ended normally.
    func closed(on connection: TCPConnection, error: UVError?)
}

extension TCPConnectionDelegate {
    /// Does nothing: accepted connections are already open.
    package func connected(on connection: TCPConnection) {}

    /// Does nothing: most delegates do not bound what a layer keeps.
    package func receivedPart(on connection: TCPConnection) {}

    /// Does nothing: most delegates never yield.
    package func turnCame(on connection: TCPConnection) {}
}
