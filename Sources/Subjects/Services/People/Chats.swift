import ClientProtocol
package import Execution
package import Model
import Notifying
package import Store

/// Opens chats, and appends their events to the log.
///
/// - Confinement: store (the writer's thread)
package struct Chats {
    private let context: WriteContext

    package init(in context: WriteContext) { self.context = context }

    private var transaction: WriteTransaction { context.transaction }

    /// The chat between the asking user and `other`, which is opened if there is none.
    ///
    /// - Throws: `Refusal`: `blocked` while one of the two blocks the other; `forbidden` unless there is such a chat
    ///   already or the asking user follows `other`; `not-found` when `other` was erased.
    func open(
        with other: UserID, _ notifier: inout Notifier
    ) throws -> MemberChat {
        let (id, name) = try context.user()
        guard let chatName = ChatID(between: name, and: other) else {
            throw Refusal.badRequest(field: "to", "must be another user")
        }
        if try transaction.blocks.concern(id), let otherID = try transaction.users.number(of: other) {
            try ConversationRights(transaction: transaction.reading)
                .checkBlock(between: id, and: otherID, field: "to")
        }
        try transaction.checkErasure(of: other, field: "to")
        if let chat = try transaction.chats.find(chatName) { return try pair(chat, of: id) }
        guard let topic = try transaction.streams.find(Topic(user: other)),
            try transaction.follows.since(follower: id, stream: topic.id) != nil
        else {
            guard try !transaction.isErased(other, at: context.now) else { throw Refusal.noUser(other, field: "to") }
            throw Refusal(.forbidden, "follow \(other.text) first, or wait until \(other.text) writes", field: "to")
        }
        try context.count(.firstContact)
        let otherID = try notifier.inbox(ofNamed: other, field: "to")
        return try pair(transaction.chats.make(chatName, members: [id, otherID]), of: id)
    }

    private func pair(_ chat: ChatEntry, of user: StreamID) throws -> MemberChat {
        let members = try transaction.chats.members(of: chat.id)
        guard let own = members.first(where: { $0.user == user }) else { throw StoredValueProblem(place: "members") }
        return MemberChat(chat: chat, own: own, members: members, standing: nil)
    }

    /// Appends an event of a chat to its stream in the log, for its members.
    ///
    /// - Parameters:
    ///   - members: both of a pair.
    ///   - room: nil in a pair.
    ///   - message: the message that it changes: a room's members do not get the event if it does not exist for them.
    package func append(
        _ event: EncodedEvent, in chat: ChatEntry, members: [MemberEntry], room: RoomEntry?,
        changing message: MessageEntry? = nil
    ) throws -> Position {
        let position: Position
        if let room {
            let hidden = message.flatMap { room.settings.history == .joined || $0.n < room.shown ? $0.position : nil }
            let joiners = try hidden.map { try transaction.rooms.joiners(of: chat.id, from: $0) } ?? []
            position = try transaction.append(event, room: chat.id, changing: hidden, except: joiners)
        } else {
            position = try append(event, in: chat.id, number: nil, toMembers: members)
        }
        try transaction.chats.setLastEvent(at: position, in: chat.id)
        return position
    }

    /// The same for what changes no message.
    func append(_ event: EncodedEvent, in chat: MemberChat) throws -> Position {
        try append(event, in: chat.chat, members: chat.members, room: chat.standing?.room)
    }

    /// Appends the event of message number `n`. The caller puts the message there with ``MessageTable/insert(_:in:)``, and
    /// notes with ``ChatTable/setLast(_:at:in:)`` that its event is the newest.
    func appendMessage(_ event: EncodedEvent, n: MessageNumber, in chat: MemberChat) throws {
        if chat.standing != nil {
            try transaction.append(event, room: chat.chat.id, number: n, by: chat.own.user)
        } else {
            _ = try append(event, in: chat.chat.id, number: n, toMembers: chat.members)
        }
    }

    private func append(
        _ event: EncodedEvent,
        in chat: Int64,
        number: MessageNumber?,
        toMembers members: [MemberEntry]
    ) throws -> Position {
        guard let first = members.first else { throw StoredValueProblem(place: "members") }
        let second = members.count > 1 ? members[1].user : nil
        return try transaction.append(event, chat: chat, number: number, to: first.user, and: second)
    }
}
