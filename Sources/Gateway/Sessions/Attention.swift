import Model

/// The things that a session's client has said of the person at the device. Pushes depend on them, and they end with the
/// session.
///
/// - Confinement: loop
struct Attention {
    /// The newest position that was acknowledged; zero when none was.
    private(set) var acked = Position.zero
    /// The last `on` of `focus`; nil when it was never said.
    private(set) var focus: Bool?

    /// Whether somebody looks at the device. A client that does not know `focus` acknowledges what it has shown.
    var isLookedAt: Bool { focus ?? (acked > .zero) }

    /// The client has handled everything up to a position.
    ///
    /// - Parameter sent: up to which the client was sent everything: it cannot have seen more, whatever it says.
    mutating func acknowledge(_ position: Position, sent: Position) { acked = max(acked, min(position, sent)) }

    /// The client says whether somebody looks.
    mutating func setFocus(_ isOn: Bool) { focus = isOn }
}
