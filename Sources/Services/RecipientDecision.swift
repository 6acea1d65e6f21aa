import JSON
import Model
import Store
import Triggers

/// Whether a notification interrupts one person, and why not: one place for `test` and `explain`.
///
/// - Confinement: any
struct RecipientDecision: Sendable {
    /// The language the person reads it in; nil for the texts' own default.
    let language: LanguageTag?
    let alerts: Bool
    /// Why it lies in the inbox without interrupting, as `reason` says it to clients; nil when it interrupts.
    let reason: String?
    /// A sentence for people.
    let says: String

    /// - Parameters:
    ///   - silence: why it interrupts nobody, as its row says; nil when it may.
    ///   - user: nil for somebody whom the server does not know yet: nothing is set for him.
    init(level: InterruptionLevel, silence: Silence?, user: UserEntry?) {
        language = user?.effectiveLanguage
        let reason = silence ?? (level == .passive ? .level : nil)
        alerts = reason == nil
        self.reason = reason?.rawValue
        says = reason.map { Self.sentence($0) } ?? "it interrupts"
    }

    private static func sentence(_ silence: Silence) -> String {
        switch silence {
        case .muted: "it is muted"
        case .quietHours: "it falls into quiet hours"
        case .level: "its level does not interrupt"
        case .digest: "it is collected for the next digest"
        case .throttled: "its trigger interrupts only so often"
        case .updated: "it only brings one up to date that has interrupted before"
        }
    }
}
