import Model
import ThreadMessages

/// Whether a user looks at an entry already, by what the loops know of the user's sessions.
///
/// - Confinement: any
struct PushScreen: Sendable, Hashable {
    private let sessions: [LookingSession]

    /// - Parameter sessions: Of one user.
    init(_ sessions: [LookingSession]) { self.sessions = sessions }

    /// Whether a device must not get a push of an entry: somebody looks at the device itself, which shows the entry by
    /// its session; or has acknowledged the entry on another device. A critical entry is to be heard on all others.
    func hides(_ position: Position, _ level: InterruptionLevel, from device: String) -> Bool {
        let looking = sessions.filter { $0.isLookedAt(for: position) }
        if looking.contains(where: { $0.device == device }) { return true }
        return level < .critical && looking.contains { $0.acked >= position }
    }
}
