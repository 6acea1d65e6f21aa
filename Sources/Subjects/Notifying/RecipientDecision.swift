import JSON
package import Model
package import Store
import Triggers

/// Whether a notification interrupts one person, and why not: the one place for `test` and `explain`.
///
/// - Confinement: any
package struct RecipientDecision: Sendable {
    /// The language the person reads it in; nil for the default of the texts.
    package let language: LanguageTag?
    package let alerts: Bool
    /// Why it does not interrupt, in the words of the field `reason`; nil when it interrupts, or is passive and never
    /// does.
    package let reason: Silence?
    /// A sentence for people.
    package let says: String

    /// - Parameters:
    ///   - entry: the stored notification, or one that would be stored: then with the time of the change, and without
    ///     `silence`.
    ///   - isWritten: whether it is stored: then its row has the decision of that time.
    ///   - user: nil for somebody whom the server does not know yet, and who has chosen nothing.
    package init(_ entry: NotificationEntry, isWritten: Bool, user: UserEntry?, in transaction: Transaction) throws {
        language = user?.effectiveLanguage
        let reason = try Self.silence(entry, isWritten: isWritten, user: user, in: transaction)
        self.reason = reason
        alerts = reason == nil && entry.level > .passive
        says = reason.map(Self.sentence) ?? (alerts ? "it interrupts" : "passive never interrupts")
    }

    /// The reason in the row, or else by the preferences of the person: those in force when it was written, or now.
    private static func silence(
        _ entry: NotificationEntry,
        isWritten: Bool,
        user: UserEntry?,
        in transaction: Transaction
    ) throws -> Silence? {
        guard let user else { return entry.silence }
        if isWritten {
            var decision = DeliveryDecision(of: user, in: transaction)
            return try decision.reason(for: entry)
        }
        guard let preferences = DeliveryPreferences.stored(user.preferences) else { return entry.silence }
        let isInbox = entry.stream == user.id
        let facts = try NotificationFacts(entry, isPersonal: isInbox, in: transaction)
        func follows(_ stream: StreamID) throws -> Bool { try transaction.isFollowed(stream, by: user.id) }
        guard entry.silence == nil else {
            if isInbox { return entry.silence }
            return try preferences.readerReason(against: facts, beginsDigest: false, follows: follows)
        }
        let digest = try preferences.lookBack(of: facts, follows: follows).flatMap { digest in
            try transaction.digests.find(digest.subject.name, of: user.id)
        }
        return try preferences.reason(
            against: facts, beginsDigest: digest.map { $0.due == nil } ?? false, follows: follows)
    }

    private static func sentence(_ silence: Silence) -> String {
        switch silence {
        case .muted: "it is muted"
        case .quietHours: "it falls within quiet hours"
        case .level: "its level or its kind does not interrupt this reader"
        case .digest: "it is collected for the next digest"
        case .throttled: "the throttle of its trigger holds it back"
        case .updated: "it updates one that has already interrupted"
        }
    }
}
