/// What of a notification decides whether it interrupts a person.
///
/// A class, so that a publication carries it for a pointer.
///
/// - Confinement: any
package final class NotificationFacts: Sendable {
    /// The kind of those that tell of others.
    package static let digestKind = "digest"

    package let kind: String
    package let level: InterruptionLevel
    /// As shown to clients: `user:alice`, `person:525`, `everyone`.
    package let topic: String
    /// Further topics whose followers it is for.
    package let otherTopics: [String]
    /// The streams of ``topic`` and ``otherTopics``, in their order, where a mute holds only if it covers each of them that
    /// the reader follows; empty where one mute is enough.
    package let mutedTogether: [StreamID]
    /// The conversation that it is about; nil when it is about none.
    package let chat: ChatID?
    package let at: Timestamp
    /// Why it interrupts nobody; nil when that is for each reader's preferences to say.
    package let silence: Silence?
    /// Whether it lies in an inbox: then its reader's preferences have been asked when it was written.
    package let isPersonal: Bool
    /// Whether it tells of what quiet hours held, which they do not hold in turn.
    package let endsQuietHours: Bool

    package init(
        kind: String,
        level: InterruptionLevel,
        topic: String,
        otherTopics: [String] = [],
        mutedTogether: [StreamID] = [],
        chat: ChatID? = nil,
        at: Timestamp,
        silence: Silence? = nil,
        isPersonal: Bool,
        endsQuietHours: Bool = false
    ) {
        self.kind = kind
        self.level = level
        self.topic = topic
        self.otherTopics = otherTopics
        self.mutedTogether = mutedTogether
        self.chat = chat
        self.at = at
        self.silence = silence
        self.isPersonal = isPersonal
        self.endsQuietHours = endsQuietHours
    }
}
