/// A layer between a connection's socket and its delegate: TLS. Delegate and writers see only plaintext and do not
/// notice the layer.
///
/// It never reads or writes itself. Its output leaves at the end of the turn, all of a turn in one write.
/// - Confinement: loop
package protocol TCPConnectionLayer: AnyObject {
    /// Whether the next received bytes are expensive, so that only a few connections may be read in one turn.
    var isCostly: Bool { get }

    /// Bytes of incomplete records.
    var heldBytes: Int { get }

    /// When incomplete records must be complete, by the loop's clock; `.max` when there are none. The delegate enforces
    /// it.
    var deadline: Int64 { get }

    /// Takes received bytes and appends their plaintext.
    func receive(_ bytes: RawSpan, into plaintext: inout [UInt8]) -> TCPConnectionLayerVerdict

    /// Called at the end of a turn in which bytes were written or received.
    /// - Parameters:
    ///   - plaintext: The bytes written in the turn; a layer that is not ready holds them back.
    ///   - isLast: Whether nothing is written any more, so that the layer must end.
    /// - Returns: the bytes to send, perhaps none.
    func seal(_ plaintext: [UInt8], isLast: Bool) -> [UInt8]
}

extension TCPConnectionLayer {
    /// 0, for layers that nobody asks.
    package var heldBytes: Int { 0 }

    /// No deadline.
    package var deadline: Int64 { .max }
}

/// How a connection continues after bytes have passed its layer.
/// - Confinement: any
package enum TCPConnectionLayerVerdict: Sendable, Hashable {
    /// As before.
    case goesOn
    /// The peer sends no more: queued bytes are sent, then the connection closes.
    case hasEnded
    /// The layer is broken: its last bytes are sent, then the connection closes.
    case hasFailed

    /// The time in which the queued bytes must leave before the connection closes; nil when it does not close.
    var lastBytesMilliseconds: Int64? {
        switch self {
        case .goesOn: nil
        case .hasEnded: 5000
        case .hasFailed: 1000
        }
    }
}
