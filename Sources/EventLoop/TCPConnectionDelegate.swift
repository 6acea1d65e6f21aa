/// Who owns what arrives on a connection.
///
/// The connection holds its delegate until it has called `closed`, so a connection always has a delegate; the
/// cycle with a delegate that holds its connection ends there.
/// - Confinement: loop
package protocol TCPConnectionDelegate: AnyObject {
    /// The outgoing connection stands. Not called for accepted ones. Nothing by default.
    func connected(on connection: TCPConnection)

    /// Bytes arrived. They lie in the loop's read buffer and are gone after the call: copy what must stay.
    func received(_ bytes: RawSpan, on connection: TCPConnection)

    /// Bytes arrived that the layer keeps, for what they belong to is not whole. Nothing by default.
    func receivedPart(on connection: TCPConnection)

    /// The queue, once above the high mark, has fallen to the low mark. Never called from within `write`.
    func drained(on connection: TCPConnection)

    /// The turn has come that the delegate asked for with `yieldTurn`. Nothing by default.
    func turnCame(on connection: TCPConnection)

    /// The last word, exactly once, after the handle is closed.
    /// - Parameter error: nil when this side closed or the peer ended in order.
    func closed(on connection: TCPConnection, error: UVError?)
}

extension TCPConnectionDelegate {
    /// Nothing: accepted connections stand already.
    package func connected(on connection: TCPConnection) {}

    /// Nothing: most do not bound what a layer keeps.
    package func receivedPart(on connection: TCPConnection) {}

    /// Nothing: most never give way.
    package func turnCame(on connection: TCPConnection) {}
}
