package import JSON
package import Model

/// The member `ww` of a push: the same bytes on every platform. It is for our own code on the device, which finds by it
/// the entry that the push is about.
///
/// - Confinement: any
package struct PushEnvelope: Sendable, Hashable {
    /// The version of this form. A client ignores a version that it does not know.
    static let version = 1

    /// The history of the log to which the position belongs.
    package var epoch: Epoch
    /// When the entry was written, or the withdrawal was made.
    package var at: Timestamp
    /// After this time the device shows nothing: some push services keep messages longer than asked.
    package var expires: Timestamp?
    /// The number on the app's icon, absolute.
    package var badge: Int64
    /// The entries that were pushed and are removed now; only the first ``PushLimits/goneMax`` are sent.
    package var gone: [PushTag]
    /// The entry that the push shows; nil for a withdrawal.
    package var entry: PushEntry?

    package init(
        epoch: Epoch, at: Timestamp, expires: Timestamp? = nil, badge: Int64, gone: [PushTag] = [],
        entry: PushEntry?
    ) {
        self.epoch = epoch
        self.at = at
        self.expires = expires
        self.badge = max(0, badge)
        self.gone = gone
        self.entry = entry
    }

    /// The compact JSON object.
    package var bytes: [UInt8] {
        var writer = JSONWriter(capacity: 512)
        write(to: &writer)
        return writer.bytes
    }

    /// The object as the next value.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("v", Self.version)
        if let entry {
            writer.member("id", entry.id)
            writer.member("seq", entry.position.value)
        }
        writer.member("epoch", epoch.text)
        entry?.writePlace(to: &writer)
        writer.member("at", at.text)
        if let expires { writer.member("exp", expires.text) }
        writer.member("badge", badge)
        if !gone.isEmpty {
            writer.name("gone")
            writer.beginArray()
            for tag in gone { writer.string(tag.text) }
            writer.endArray()
        }
        if let data = entry?.data { writer.member("data", data) }
        writer.endObject()
    }
}

/// The notification or the message that a push shows.
///
/// - Confinement: any
package struct PushEntry: Sendable, Hashable {
    /// Whether it is a message; else it is an entry of the inbox.
    package var isMessage: Bool
    /// The place in the log.
    package var position: Position
    package var level: InterruptionLevel
    package var tag: PushTag
    /// `release`, or `message`.
    package var kind: String?
    /// In the form for clients: `person:525`.
    package var topic: String?
    package var chat: ChatID?
    /// The message's number in its chat.
    package var number: MessageNumber?
    /// The data that the application gave with the notification.
    package var data: JSONValue?

    package init(
        isMessage: Bool, position: Position, level: InterruptionLevel, tag: PushTag, kind: String? = nil,
        topic: String? = nil, chat: ChatID? = nil, number: MessageNumber? = nil, data: JSONValue? = nil
    ) {
        self.isMessage = isMessage
        self.position = position
        self.level = level
        self.tag = tag
        self.kind = kind
        self.topic = topic
        self.chat = chat
        self.number = number
        self.data = data
    }

    /// `n4711` for an entry of the inbox, as its events and lists name it; `m4711` for a message.
    package var id: String { (isMessage ? "m" : "n") + String(position.value) }

    /// Only what a device needs to find the entry by itself.
    var withoutContent: PushEntry { PushEntry(isMessage: isMessage, position: position, level: level, tag: tag) }

    fileprivate func writePlace(to writer: inout JSONWriter) {
        if let kind { writer.member("kind", kind) }
        writer.member("level", level.rawValue)
        if let topic { writer.member("topic", topic) }
        if let chat { writer.member("chat", chat.text) }
        if let number { writer.member("n", number) }
        writer.member("tag", tag.text)
    }
}
