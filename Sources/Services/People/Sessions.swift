package import ClientProtocol
package import JSON
package import Model
package import Store

/// Makes a user known who connects for the first time, and notes the language of his device.
///
/// - Confinement: any
package struct RegisterUser: WriteUseCase {
    let name: UserID
    let deviceLanguage: LanguageTag?

    package init(_ name: UserID, deviceLanguage: LanguageTag?) {
        self.name = name
        self.deviceLanguage = deviceLanguage
    }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let id = try context.number(of: name)
        if let deviceLanguage { try context.transaction.users.setDeviceLanguage(deviceLanguage, of: id) }
    }
}

/// What a session needs to know of its user to begin: read on one snapshot, so that position and counts agree.
///
/// - Confinement: any
package struct SessionStart: Sendable {
    package let user: UserEntry
    package let head: Position
    package let counts: UnreadCounts
    /// What the user follows, as of ``head``.
    package let streams: [StreamID]

    /// Nil when the user is not known yet.
    package init?(of name: UserID, in transaction: Transaction) throws {
        guard let user = try transaction.users.find(name) else { return nil }
        try self.init(user, in: transaction)
    }

    /// The same for a user that is known.
    package init(_ user: UserEntry, in transaction: Transaction) throws {
        self.user = user
        head = try transaction.log.head()
        counts = try transaction.unread(of: user)
        streams = try transaction.follows.streams(of: user.id)
    }
}

/// The events of one user from a position on, a page at a time.
///
/// They are exactly what a session that was connected all the time got: also what has been taken away since, with its
/// removal behind it, and what came by a topic while it was followed.
///
/// - Confinement: store (a reader's thread)
package struct LogPage: Sendable {
    /// The events in the order of positions, each as it goes out.
    package let events: [(position: Position, bytes: [UInt8])]
    /// Everything up to here has been read: the last event's position, or the log's head when there is no more.
    package let upTo: Position
    /// Whether the log holds more for the user behind ``upTo``.
    package let hasMore: Bool

    /// Reads at most `limit` events behind `position`.
    ///
    /// - Parameters:
    ///   - watched: whose changes are wanted, too.
    ///   - head: of the log in this snapshot, where that was read already.
    /// - Throws: ``Trimmed`` when the log begins behind `position`.
    package init(
        of user: UserEntry,
        after position: Position,
        deviceLanguage: LanguageTag?,
        limit: Int,
        watched: [WatchedStream] = [],
        head: Position? = nil,
        in transaction: Transaction
    ) throws {
        guard try position >= transaction.retention.from() else { throw Trimmed() }
        let head = try head ?? transaction.log.head()
        let positions = try WatchedChanges.merged(
            transaction.log.positions(of: user, after: position, limit: limit + 1),
            watched,
            after: position,
            limit: limit + 1,
            in: transaction
        )
        let language = user.language ?? deviceLanguage ?? user.deviceLanguage
        var decision = DeliveryDecision(of: user, in: transaction)
        var events: [(position: Position, bytes: [UInt8])] = []
        var bytes = 0
        var read = 0
        for position in positions.prefix(limit) where bytes < Limits.resumePageBytes {
            read += 1
            let event: [UInt8]
            switch try transaction.log.entry(at: position).content {
            case .event(let json): event = Array(json.utf8)
            case .notification(let entry):
                guard try decision.isFor(entry) else { continue }
                event = try DeliveredNotification(entry, silence: decision.reason(for: entry)).event(in: language)
            }
            events.append((position, event))
            bytes += event.count
        }
        self.events = events
        hasMore = read < positions.count
        upTo = hasMore ? positions[read - 1] : head
    }

    /// The log no longer holds what lies behind a position.
    package struct Trimmed: Error {}
}

/// What `hello` with `since` begins with: the first page of what was missed, or why it cannot be had.
///
/// - Confinement: store (a reader's thread)
package enum Resumption: Sendable {
    case page(LogPage)
    case reset(Event.ResetReason)

    /// - Parameters:
    ///   - point: where the device stopped, as its `hello` said.
    ///   - head: of the log in this snapshot, where that was read already.
    package init(
        of user: UserEntry,
        since point: Command.ResumePoint,
        epoch: Epoch,
        deviceLanguage: LanguageTag?,
        head: Position? = nil,
        in transaction: Transaction
    ) throws {
        let head = try head ?? transaction.log.head()
        guard point.epoch == epoch, point.seq <= head else {
            self = .reset(.epoch)
            return
        }
        // Each would be a source of its own to merge: who follows and unfollows without end starts anew instead.
        let endedMax = Limits.resumeEndedFollowsMax
        guard try transaction.follows.endedCount(of: user.id, after: point.seq, limit: endedMax + 1) <= endedMax else {
            self = .reset(.tooFar)
            return
        }
        do {
            let page = try LogPage(
                of: user,
                after: point.seq,
                deviceLanguage: deviceLanguage,
                limit: Limits.resumePageEvents,
                head: head,
                in: transaction
            )
            let isTooFar =
                try page.hasMore && transaction.log.isMore(than: Limits.resumeEventsMax, of: user, after: point.seq)
            self = isTooFar ? .reset(.tooFar) : .page(page)
        } catch is LogPage.Trimmed {
            self = .reset(.retention)
        }
    }
}

/// Whether a user shows himself to anybody.
///
/// - Confinement: any
enum PresenceVisibility {
    /// - Parameter stored: the preferences as they stand in the user's row. What cannot be read hides nobody.
    static func isHidden(_ stored: String?) -> Bool {
        guard let stored, let chosen = try? StoredJSON.object(stored, place: "users.preferences") else { return false }
        return isHidden(chosen)
    }

    /// - Parameter chosen: the preferences that the user has set.
    static func isHidden(_ chosen: JSONObject) -> Bool { chosen["presence"] == "nobody" }
}

/// Whether a user may see another's presence: they share a chat, or follow each other, and the other shows himself.
///
/// - Confinement: any
package struct VisiblePeople: Sendable {
    /// Those of `wanted` that `user` may see, by number, in the order given.
    package static func visible(
        _ wanted: [UserID],
        to user: UserEntry,
        in transaction: Transaction
    ) throws -> [(StreamID, UserID)] {
        var visible: [(StreamID, UserID)] = []
        for name in wanted {
            guard let other = try transaction.users.find(name) else { continue }
            let maySee =
                try sharesChat(user.name, name, in: transaction)
                || follow(user.id, name, in: transaction) && follow(other.id, user.name, in: transaction)
            if maySee, !PresenceVisibility.isHidden(other.preferences) { visible.append((other.id, name)) }
        }
        return visible
    }

    private static func sharesChat(_ one: UserID, _ other: UserID, in transaction: Transaction) throws -> Bool {
        guard let chat = ChatID(between: one, and: other) else { return true }
        return try transaction.chats.find(chat) != nil
    }

    private static func follow(_ follower: StreamID, _ name: UserID, in transaction: Transaction) throws -> Bool {
        guard let topic = try transaction.streams.find(Topic(user: name)) else { return false }
        return try transaction.follows.since(follower: follower, stream: topic.id) != nil
    }
}

/// To whom a typing signal goes: the other members of a chat of one's own.
///
/// - Confinement: any
package enum TypingAudience {
    /// - Throws: `Refusal` when the chat is not the user's.
    package static func members(
        of chat: ChatID,
        besides user: UserEntry,
        in transaction: Transaction
    ) throws -> [StreamID] {
        try ConversationRights(transaction: transaction).memberChat(chat, of: user.id, user.name).members
            .map(\.user).filter { $0 != user.id }
    }
}

/// `ack`: the furthest position a device of the user has handled; the senders of messages up to there are told.
///
/// - Confinement: any
package struct AcknowledgePosition: WriteUseCase {
    let position: Position

    package init(_ position: Position) { self.position = position }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let (id, name) = try context.user()
        let transaction = context.transaction
        guard let user = try transaction.users.find(id), position > user.acknowledged else { return }
        let upTo = min(position, transaction.head)
        for delivered in try transaction.chats.newlyDelivered(to: id, after: user.acknowledged, upTo: upTo) {
            let chat = delivered.chat
            try transaction.chats.setDelivered(delivered.upTo, of: id, in: chat.id)
            guard let n = delivered.newestOfOthers else { continue }
            let event = Event.delivered(seq: transaction.nextPosition, chat: chat.name, user: name, n: n)
            _ = try context.append(event, in: chat.id, toMembers: transaction.chats.members(of: chat.id))
        }
        try transaction.users.setAcknowledged(upTo, of: id)
    }
}
