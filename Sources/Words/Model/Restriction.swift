/// A moderator keeps a user from writing to others, or from coming in; or an administrator has closed the account.
///
/// - Confinement: any
package struct Restriction: Sendable, Hashable {
    /// The kind of a restriction; the raw value is the word on the wire.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The user reads, and writes nothing to others.
        case mute
        /// The user has no session.
        case ban
        /// The same, and no punishment: the person has left.
        case deactivated

        /// Those that a moderator chooses.
        package static let ofModerators: [Kind] = [.mute, .ban]

        /// Nil for a word that is not a moderator's.
        package init?(moderators word: String) {
            guard let kind = Kind(rawValue: word), Self.ofModerators.contains(kind) else { return nil }
            self = kind
        }
    }

    package let kind: Kind
    package let user: UserID
    /// When it ends by itself; nil for never.
    package let until: Timestamp?
    /// The user gets it.
    package let reason: String

    package init(_ kind: Kind, of user: UserID, until: Timestamp?, reason: String) {
        self.kind = kind
        self.user = user
        self.until = until
        self.reason = reason
    }

    /// Whether it holds at a time.
    package func holds(at now: Timestamp) -> Bool { until.map { now < $0 } ?? true }
}
