/// What a connection does next costs, as a share of what may be spent on such in one turn.
/// - Confinement: any
package struct TurnCost: Sendable, Comparable {
    /// Microseconds of one share.
    static let shareMicroseconds: Int64 = 50

    private let value: UInt8

    /// Not counted: what a session that stands sends, a little at a time.
    package static let ordinary = TurnCost(value: 0)
    /// A request, an upgrade, the first words of a session: 50 µs or so.
    package static let light = TurnCost(value: 1)
    /// A step of a TLS handshake, or a dozen requests that came in one packet: up to 1 ms.
    package static let heavy = TurnCost(value: 8)

    private init(value: UInt8) { self.value = value }

    /// The cost of what took so long.
    init(microseconds: Int64) { value = UInt8(clamping: microseconds / Self.shareMicroseconds) }

    var shares: Int { Int(value) }

    /// What is left of it when the next read was cheaper: a few cheap ones, and it is forgotten.
    var faded: TurnCost { TurnCost(value: UInt8(shares / 2)) }

    package static func < (one: TurnCost, other: TurnCost) -> Bool { one.value < other.value }
}
