/// The facts that decide whether a notification interrupts a person.
///
/// A class, so that a publication carries it for a pointer.
///
/// - Confinement: any
package final class NotificationFacts: Sendable {
    /// The kind of digests, which contain other notifications.
    package static let digestKind = "digest"
    /// The kind of what operators send.
    package static let broadcastKind = "broadcast"
    /// The kind of what moderators tell people: nobody can mute it.
    package static let moderationKind = "moderation"

    package let kind: String
    package let level: InterruptionLevel
    /// In the form for clients: `user:alice`, `person:525`, `everyone`.
    package let topic: String
    /// Further topics whose followers get it.
    package let otherTopics: [String]
    /// The streams of ``topic`` and ``otherTopics``, in their order, when a mute counts only if the reader has muted
    /// each of them that they follow; empty when one mute is enough.
    package let mutedTogether: [StreamID]
    /// The chat that it is about; nil when there is none.
    package let chat: ChatID?
    package let at: Timestamp
    /// Why it interrupts nobody; nil when each reader's preferences decide.
    package let silence: Silence?
    /// Whether it is in a single inbox: then its reader's preferences were applied when it was written.
    package let isPersonal: Bool
    /// Whether it reports what quiet hours held back; quiet hours do not hold it back.
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
