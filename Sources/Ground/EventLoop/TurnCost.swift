/// The cost of a connection's next step, as a share of the expensive work of one turn.
/// - Confinement: any
package struct TurnCost: Sendable, Comparable {
    /// Microseconds of one share.
    static let shareMicroseconds: Int64 = 50

    private let value: UInt8

    /// Not counted: the messages of an established session, a few at a time.
    package static let ordinary = TurnCost(value: 0)
    /// A request, an upgrade, the first messages of a session: about 50 µs.
    package static let light = TurnCost(value: 1)
    /// A step of a TLS handshake, or a dozen requests in one packet: up to 1 ms.
    package static let heavy = TurnCost(value: 8)

    private init(value: UInt8) { self.value = value }

    /// The cost of work with this duration.
    init(microseconds: Int64) { value = UInt8(clamping: microseconds / Self.shareMicroseconds) }

    var shares: Int { Int(value) }

    /// The remaining cost after a cheaper read: after a few cheap ones it is zero.
    var faded: TurnCost { TurnCost(value: UInt8(shares / 2)) }

    package static func < (one: TurnCost, other: TurnCost) -> Bool { one.value < other.value }
}
