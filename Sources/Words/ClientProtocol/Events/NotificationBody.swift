package import JSON
package import Model

/// A notification for one reader, with texts in the reader's language: for the event and the list.
///
/// - Confinement: any
package struct NotificationBody: Sendable, Hashable {
    package var id: String
    package var kind: String
    package var level: InterruptionLevel
    package var title: String
    package var body: String
    /// The additional data, an encoded JSON object.
    package var data: [UInt8]
    package var topic: String
    /// Further topics whose followers get it; each of them gets it once.
    package var others: [String] = []
    package var at: Timestamp
    package var expires: Timestamp?
    /// A later notification with the same value replaces this one.
    package var collapse: String?
    /// Why it does not interrupt the reader; nil when it does.
    package var silence: Silence?
    /// Only in lists; a notification that arrives is unread.
    package var isSeen: Bool?

    package init(
        id: String,
        kind: String,
        level: InterruptionLevel,
        title: String,
        body: String,
        data: [UInt8] = Array("{}".utf8),
        topic: String,
        at: Timestamp
    ) {
        self.id = id
        self.kind = kind
        self.level = level
        self.title = title
        self.body = body
        self.data = data
        self.topic = topic
        self.at = at
    }

    /// Writes the notification's members, without `seq` and `type`.
    ///
    /// - Parameter kindName: the name of the member for its kind.
    package func write(to writer: inout JSONWriter, naming kindName: String = "kind") {
        writer.member("id", id)
        writer.member(kindName, kind)
        writer.member("level", level.rawValue)
        writer.member("title", title)
        writer.member("body", body)
        writer.name("data")
        writer.raw(data)
        writer.member("topic", topic)
        if !others.isEmpty {
            writer.name("topics")
            writer.beginArray()
            for topic in [topic] + others { writer.value(.string(topic)) }
            writer.endArray()
        }
        writer.member("at", at)
        if let expires { writer.member("expires", expires) }
        if let collapse { writer.member("collapse", collapse) }
        if let silence {
            writer.member("alert", false)
            writer.member("reason", silence.rawValue)
        }
        if let isSeen { writer.member("seen", isSeen) }
    }
}

extension NotificationBody {
    /// An encoded notification, changed so that it does not interrupt, with the reason.
    package static func silenced(_ event: [UInt8], because reason: Silence) -> [UInt8] {
        // The reason is the last member of an encoded event.
        let updated = ending(.updated)
        let isUpdate = event.suffix(updated.count).elementsEqual(updated)
        return event.dropLast(isUpdate ? updated.count : 1) + ending(reason)
    }

    private static func ending(_ reason: Silence) -> [UInt8] {
        Array(#","alert":false,"reason":"\#(reason.rawValue)"}"#.utf8)
    }
}

/// Why a notification disappears from every device.
///
/// - Confinement: any
package enum RemovalReason: String, Sendable, Hashable, CaseIterable {
    case read, retracted, expired, replaced
    /// Its reader has snoozed it.
    case snoozed
    /// Its reader has put it away for good.
    case archived
}
