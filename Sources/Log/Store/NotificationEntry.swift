package import Model

/// A notification as stored: one row, whatever the number of its readers.
///
/// - Confinement: any
package struct NotificationEntry: Sendable {
    /// Its place in the log, and its number.
    package let position: Position
    /// The stream it lies in: an inbox, a topic, everyone.
    package let stream: StreamID
    /// Its topic as shown to clients: `user:alice`, `person:525`, `everyone`.
    package let topic: String
    /// Further topics whose followers it is for: it lies in their streams, too (``EntryStreamTable``).
    package var others: [String] = []
    /// Whether its audience is a list that names people, too: they have one of their own, and this one is for the
    /// others. Also whether some of its readers block its writer: they do not get it.
    package var isBesidePersonal = false
    /// Whether a mute holds only if it covers each of its topics that the reader follows.
    package var needsAllMuted = false
    /// Whether its trigger notifies each person once of the same ``collapse``, by whichever topic.
    package var isAcrossTopics = false
    /// The time zones of those it is for, by their names; empty for all. If there are any, nobody follows its own
    /// stream, and it lies in the streams of its topics as well.
    package var zones: [String] = []
    package let kind: String
    package let level: InterruptionLevel
    /// JSON: `{"": {"title", "body"}, "it": {…}}`.
    package let texts: String
    /// JSON of an object.
    package let data: String
    package let at: Timestamp
    package let expires: Timestamp?
    /// A later notification with the same key in the same stream replaces this one.
    package let collapse: String?
    /// The trigger that asked for it, and the position of the change that fired it.
    package var trigger: String?
    package var change: Position?
    package var broadcast: Int64?
    /// Path of the document whose change it comes from.
    package var path: String?
    /// Why it interrupts nobody; nil when it does. In a stream that many read, each reader's own reason comes on top.
    package var silence: Silence?
    /// Position of the first notification that it only brings up to date: whom that one has interrupted need not be
    /// interrupted again.
    package var origin: Position?

    package init(
        position: Position,
        stream: StreamID,
        topic: String,
        kind: String,
        level: InterruptionLevel,
        texts: String,
        data: String,
        at: Timestamp,
        expires: Timestamp?,
        collapse: String?
    ) {
        self.position = position
        self.stream = stream
        self.topic = topic
        self.kind = kind
        self.level = level
        self.texts = texts
        self.data = data
        self.at = at
        self.expires = expires
        self.collapse = collapse
    }

    /// The id that clients know it by.
    package var id: String { Self.id(of: position) }

    /// The id that clients know the notification at a position by: `n4711`.
    package static func id(of position: Position) -> String { "n\(position.value)" }

    /// Reads an id that ``id(of:)`` made.
    package static func position(ofID id: String) -> Position? {
        guard id.utf8.first == UInt8(ascii: "n"), let value = Int64(id.dropFirst()), value > 0, "n\(value)" == id
        else { return nil }
        return Position(value)
    }
}
