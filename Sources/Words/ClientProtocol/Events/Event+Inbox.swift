import JSON
package import Model

/// Events of a user's inbox, of follows and of documents.
extension Event {
    /// A new notification.
    package static func notification(seq: Position, _ notification: NotificationBody) -> EncodedEvent {
        durable(seq, .notification) { notification.write(to: &$0) }
    }

    /// A notification for those who are online when it is sent: it is in no log and in no inbox, and has no `seq`.
    package static func onlineNotification(_ notification: NotificationBody) -> EncodedEvent {
        unlogged(.notification) { notification.write(to: &$0) }
    }

    /// A notification for those who were online disappears.
    package static func onlineRemoved(id: String, reason: RemovalReason) -> EncodedEvent {
        unlogged(.notificationRemoved) {
            $0.member("id", id)
            $0.member("reason", reason.rawValue)
        }
    }

    /// Notifications were seen on some device, as the command `seen` said.
    package static func notificationSeen(seq: Position, _ seen: SeenCommand) -> EncodedEvent {
        durable(seq, .notificationSeen) {
            switch seen {
            case .upTo(let position): $0.member("upTo", position.value)
            case .ids(let ids):
                $0.name("ids")
                $0.beginArray()
                for id in ids { $0.string(id) }
                $0.endArray()
            }
        }
    }

    /// A notification disappears from every device.
    package static func notificationRemoved(seq: Position, id: String, reason: RemovalReason) -> EncodedEvent {
        durable(seq, .notificationRemoved) {
            $0.member("id", id)
            $0.member("reason", reason.rawValue)
        }
    }

    /// A notification has other words, on every device that has it.
    package static func notificationEdited(
        seq: Position, id: String, title: String, body: String, data: [UInt8]
    ) -> EncodedEvent {
        durable(seq, .notificationEdited) {
            $0.member("id", id)
            $0.member("title", title)
            $0.member("body", body)
            $0.name("data")
            $0.raw(data)
        }
    }

    /// The same as the log holds it: the words stand in the notification, in all its languages.
    package static func notificationEdited(seq: Position, id: String) -> EncodedEvent {
        durable(seq, .notificationEdited) { $0.member("id", id) }
    }

    /// The user follows a topic now.
    package static func followed(
        seq: Position, topic: Topic, key: WriteKey? = nil, at: Timestamp? = nil
    ) -> EncodedEvent {
        follow(.followed, seq, topic, key, at)
    }

    /// The user follows a topic no longer.
    package static func unfollowed(
        seq: Position, topic: Topic, key: WriteKey? = nil, at: Timestamp? = nil
    ) -> EncodedEvent {
        follow(.unfollowed, seq, topic, key, at)
    }

    private static func follow(
        _ name: EventName, _ seq: Position, _ topic: Topic, _ key: WriteKey?, _ at: Timestamp?
    ) -> EncodedEvent {
        durable(seq, name) {
            $0.member("topic", topic.text)
            if let key { $0.member("key", key.text) }
            if let at { $0.member("at", at) }
        }
    }

    /// The user blocks somebody now, or no longer.
    package static func block(
        _ isOn: Bool, seq: Position, user: UserID, key: WriteKey?, at: Timestamp
    ) -> EncodedEvent {
        durable(seq, isOn ? .blocked : .unblocked) {
            $0.member("user", user.text)
            if let key { $0.member("key", key.text) }
            $0.member("at", at)
        }
    }

    /// The user's preferences were changed on some device.
    ///
    /// - Parameters:
    ///   - seq: place in the log.
    ///   - encoded: the whole object of preferences, as JSON.
    ///   - key: of the user's own command.
    package static func preferences(seq: Position, encoded: [UInt8], key: WriteKey? = nil) -> EncodedEvent {
        durable(seq, .preferences) {
            if let key { $0.member("key", key.text) }
            $0.name("preferences")
            $0.raw(encoded)
        }
    }

    /// A watched document has changed.
    ///
    /// - Parameters:
    ///   - seq: place in the log.
    ///   - path: of the document.
    ///   - version: of the document after the change.
    ///   - encoded: the document as JSON; nil when it was removed. It stands last.
    ///   - key: of the command that wrote it, if a user did.
    package static func document(
        seq: Position, path: DocumentPath, version: Int64, encoded: [UInt8]?, key: WriteKey? = nil
    ) -> EncodedEvent {
        durable(seq, .document) {
            $0.member("path", path.text)
            $0.member("version", version)
            if let key { $0.member("key", key.text) }
            $0.name("data")
            if let encoded { $0.raw(encoded) } else { $0.null() }
        }
    }

    /// The server has ended a watch.
    package static func unwatched(path: WatchedPath, reason: ErrorCode) -> EncodedEvent {
        ephemeral(.unwatched) {
            $0.member("path", path.text)
            $0.member("reason", reason.rawValue)
        }
    }

    /// The beginning of a watch where no command is answered: on a stream of Server-Sent Events.
    ///
    /// - Parameter encoded: The answer of the command `watch`, a JSON object that is not empty; its members become
    ///   those of the event.
    package static func documents(encoded: [UInt8]) -> EncodedEvent {
        let event = ephemeral(.documents) { _ in }
        return EncodedEvent(event.name, json: event.json.dropLast() + [UInt8(ascii: ",")] + encoded.dropFirst())
    }

    /// The number of all unread chats and notifications.
    package static func unread(_ counts: UnreadCounts) -> EncodedEvent {
        ephemeral(.unread) { counts.write(to: &$0) }
    }
}
