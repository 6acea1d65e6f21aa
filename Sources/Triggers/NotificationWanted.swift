package import JSON
package import Model

/// What a person reads of a notification.
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
    var isEmpty: Bool { title.isEmpty && body.isEmpty }
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
    package let texts: Localized<NotificationText>
    /// An object.
    package let data: JSONValue
    /// How often a recipient is interrupted; nil for every time.
    package let throttle: Throttle?
    /// Whether it is silent where it replaces one of at least its level.
    package let alertsOnce: Bool
    /// Whether a mute holds only if it covers each of its topics that the reader follows.
    package let needsAllMuted: Bool
    /// Whether who was told by another topic of what has the same collapse is not told again.
    package let isOnceAcrossTopics: Bool
    /// What each recipient's clock is to show when it is told, as though it were UTC; nil where all are told at once.
    package let wall: Timestamp?

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
        wall: Timestamp? = nil
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
    }
}
