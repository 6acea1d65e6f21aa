import ClientProtocol
import JSON
import Model
import Store
import Triggers

/// A notification before it has its place: what all of an audience's rows have in common.
///
/// - Confinement: any
struct NotificationDraft {
    let kind: String
    let level: InterruptionLevel
    let texts: StoredTexts
    /// JSON of an object.
    let data: String
    let expires: Timestamp?
    let collapse: String?
    let trigger: String?
    /// Position of the change that fired the trigger.
    let change: Position?
    let broadcast: Int64?
    /// Path of the document that changed.
    let path: String?
    /// How often it may interrupt each recipient; nil for every time.
    let throttle: Throttle?
    /// Whether it interrupts nobody where it replaces one of at least its level.
    let alertsOnce: Bool
    /// Whether the change has just been given its position, so that its trigger can have notified nobody of it yet.
    var isFirst: Bool

    init(
        kind: String,
        level: InterruptionLevel,
        texts: StoredTexts,
        data: String,
        expires: Timestamp?,
        collapse: String?,
        broadcast: Int64?
    ) {
        self.kind = kind
        self.level = level
        self.texts = texts
        self.data = data
        self.expires = expires
        self.collapse = collapse
        self.broadcast = broadcast
        trigger = nil
        change = nil
        path = nil
        throttle = nil
        alertsOnce = false
        isFirst = true
    }
}

extension WriteContext {
    /// Writes the rows that bring a notification to an audience: one, or one for each member of a chat.
    ///
    /// - Returns: how many were new; a trigger that is replayed for the same change writes none.
    func notify(_ audience: Audience, _ draft: NotificationDraft) throws -> Int {
        switch audience {
        case .user(let user):
            let id = try transaction.users.findOrMake(user, at: transaction.head)
            return try insert(draft, into: id, topic: Topic(user: user).text, isInbox: true) ? 1 : 0
        case .followers(let topic):
            return try insert(draft, into: stream(of: topic), topic: topic.text, isInbox: false) ? 1 : 0
        case .everyone:
            return try insert(draft, into: .everyone, topic: "everyone", isInbox: false) ? 1 : 0
        case .chat(let chat):
            guard let entry = try transaction.chats.find(chat) else { return 0 }
            return try transaction.chats.members(of: entry.id).count { member in
                guard let name = try transaction.users.name(of: member.user) else { return false }
                return try insert(draft, into: member.user, topic: Topic(user: name).text, isInbox: true)
            }
        }
    }

    /// The stream of a topic, asked for once in a command.
    private func stream(of topic: Topic) throws -> StreamID {
        if let known = streamsOfTopics[topic] { return known }
        let stream = try transaction.streams.findOrMake(topic)
        streamsOfTopics[topic] = stream
        return stream
    }

    /// One row; false when the trigger wrote it for this change before.
    private func insert(_ draft: NotificationDraft, into stream: StreamID, topic: String, isInbox: Bool) throws -> Bool
    {
        if !draft.isFirst, let trigger = draft.trigger, let change = draft.change,
            try transaction.notifications.exists(trigger: trigger, change: change, in: stream)
        {
            return false
        }
        let earlier = try draft.collapse.flatMap { try transaction.notifications.find(collapse: $0, in: stream) }
        if let earlier {
            try remove(earlier, reason: .replaced, isInbox: isInbox)
            if !isInbox { try removeCopies(of: earlier, reason: .replaced) }
        }
        if isInbox, let collapse = draft.collapse {
            try transaction.snoozes.cancel(collapse: collapse, of: stream)
        }
        var entry = NotificationEntry(
            position: transaction.nextPosition,
            stream: stream,
            topic: topic,
            kind: draft.kind,
            level: draft.level,
            texts: draft.texts.json,
            data: draft.data,
            at: now,
            expires: draft.expires,
            collapse: draft.collapse,
            trigger: draft.trigger,
            change: draft.change,
            broadcast: draft.broadcast,
            path: draft.path,
            silence: try transaction.silence(of: draft, replacing: earlier, in: stream, at: now)
        )
        let facts = NotificationFacts(entry, isPersonal: isInbox)
        if isInbox, entry.silence == nil { entry.silence = try personalReason(against: facts, of: stream) }
        guard try transaction.notifications.insert(entry) else { return false }
        try noteInterruption(by: draft, entry)
        if !isInbox, entry.silence == nil { try beginDigests(with: facts, readersOf: stream) }
        let payload = DeliveredNotification(entry, texts: draft.texts).payload
        let decided = entry.silence == nil ? facts : NotificationFacts(entry, isPersonal: isInbox)
        try transaction.append(entry, payload: payload, isFollowed: !isInbox, facts: decided)
        if isInbox {
            try transaction.users.addUnreadInbox(1, to: stream)
            countsChanged(of: stream)
        }
        return true
    }

    /// Takes a notification from every device.
    func remove(_ entry: NotificationEntry, reason: RemovalReason, isInbox: Bool) throws {
        try transaction.notifications.remove(entry.position, reason: reason.rawValue, at: transaction.nextPosition)
        let event = Event.notificationRemoved(seq: transaction.nextPosition, id: entry.id, reason: reason)
        try transaction.append(event, to: entry.stream, isFollowed: !isInbox, recountsUnread: !isInbox)
        guard isInbox, let user = try transaction.users.find(entry.stream) else { return }
        if try !transaction.notifications.isSeen(entry.position, by: user) {
            try transaction.users.addUnreadInbox(-1, to: user.id)
            countsChanged(of: user.id)
        }
    }
}
