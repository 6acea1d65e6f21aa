package import JSON
package import Model

/// The texts of a notification that a person reads.
///
/// - Confinement: any
package struct NotificationText: Sendable, Hashable {
    package let title: String
    package let body: String

    package init(title: String, body: String) {
        self.title = title
        self.body = body
    }

    /// Whether there is nothing to show.
    var isEmpty: Bool { !ShownText.isVisible(title) && !ShownText.isVisible(body) }
}

/// A notification that a trigger asks for.
///
/// - Confinement: any
package struct NotificationWanted: Sendable, Hashable {
    /// The row's name.
    package let trigger: String
    package let audience: Audience
    package let kind: String
    package let level: InterruptionLevel
    /// A later notification with the same word replaces this one.
    package let collapse: String?
    package let expires: Timestamp?
    package private(set) var texts: Localized<NotificationText>
    /// Data for programs, an object.
    package private(set) var data: JSONValue
    /// How often a recipient is interrupted; nil for every time.
    package let throttle: Throttle?
    /// Whether it does not interrupt when it replaces a notification of the same or a higher level.
    package let alertsOnce: Bool
    /// Whether a mute counts only if the reader has muted every topic of the notification that they follow.
    package let needsAllMuted: Bool
    /// Whether a person who was notified through another topic of the same `collapse` is skipped.
    package let isOnceAcrossTopics: Bool
    /// The time on each recipient's clock at which they are notified, stored as though it were UTC; nil to notify all
    /// at once.
    package let wall: Timestamp?
    /// Whether people who block the writer get it, too.
    package let ignoresBlocks: Bool
    /// Why parts of the audience are nobody: their fields are missing in the document.
    package let missingPeople: [String]

    package init(
        trigger: String,
        audience: Audience,
        kind: String,
        level: InterruptionLevel,
        collapse: String?,
        expires: Timestamp?,
        texts: Localized<NotificationText>,
        data: JSONValue,
        throttle: Throttle? = nil,
        alertsOnce: Bool = false,
        needsAllMuted: Bool = false,
        isOnceAcrossTopics: Bool = false,
        wall: Timestamp? = nil,
        ignoresBlocks: Bool = false,
        missingPeople: [String] = []
    ) {
        self.trigger = trigger
        self.audience = audience
        self.kind = kind
        self.level = level
        self.collapse = collapse
        self.expires = expires
        self.texts = texts
        self.data = data
        self.throttle = throttle
        self.alertsOnce = alertsOnce
        self.needsAllMuted = needsAllMuted
        self.isOnceAcrossTopics = isOnceAcrossTopics
        self.wall = wall
        self.ignoresBlocks = ignoresBlocks
        self.missingPeople = missingPeople
    }
    /// The same notification with other words.
    package func saying(texts: Localized<NotificationText>, data: JSONValue) -> NotificationWanted {
        var same = self
        (same.texts, same.data) = (texts, data)
        return same
    }
}
