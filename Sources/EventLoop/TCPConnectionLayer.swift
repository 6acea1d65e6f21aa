/// What stands between a connection's socket and its delegate: TLS. Delegate and writers see plaintext alone and
/// cannot tell whether there is a layer.
///
/// It never reads or writes itself. What it wants to send leaves at the turn's end, all of a turn in one write.
/// - Confinement: loop
package protocol TCPConnectionLayer: AnyObject {
    /// Whether taking what arrives next costs so much that only a few connections may in one turn.
    var isCostly: Bool { get }

    /// Bytes kept of what is not whole.
    var heldBytes: Int { get }

    /// By when what is not whole must be, by the loop's clock; `.max` when nothing is under way. The delegate sees to it.
    var deadline: Int64 { get }

    /// Takes what arrived and appends the plaintext in it.
    func receive(_ bytes: RawSpan, into plaintext: inout [UInt8]) -> TCPConnectionLayerVerdict

    /// Called at the end of a turn in which something was written or has arrived.
    /// - Parameters:
    ///   - plaintext: what was written in the turn; a layer that is not ready holds it back.
    ///   - isLast: nothing is written any more: say farewell.
    /// - Returns: what must be sent, perhaps nothing.
    func seal(_ plaintext: [UInt8], isLast: Bool) -> [UInt8]
}

extension TCPConnectionLayer {
    /// Nothing, as far as anybody asks.
    package var heldBytes: Int { 0 }

    /// None.
    package var deadline: Int64 { .max }
}

/// How a connection goes on after bytes have passed its layer.
/// - Confinement: any
package enum TCPConnectionLayerVerdict: Sendable, Hashable {
    /// As before.
    case goesOn
    /// The peer will send nothing more: what is queued is sent, then it closes.
    case hasEnded
    /// The layer is broken: its last word is sent, then it closes.
    case hasFailed
}
