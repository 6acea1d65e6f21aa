import ClientProtocol
package import Model
package import Store

/// A chat as one of its members sees it.
///
/// - Confinement: any
package struct MemberChat {
    package let chat: ChatEntry
    /// The member's own entry.
    let own: MemberEntry
    /// Both members of a pair; empty in a room, which may have a thousand.
    let members: [MemberEntry]
    /// Nil in a pair.
    let standing: RoomStanding?

    /// The number of the first message that exists for the member.
    package var first: MessageNumber { standing?.first ?? 1 }
}

/// A room, and one of its members.
///
/// - Confinement: any
struct RoomStanding {
    let room: RoomEntry
    let member: RoomMemberEntry

    var settings: RoomSettings { room.settings }
    var isModerator: Bool { member.role >= .moderator }
    /// The number of the first message that exists for the member.
    var first: MessageNumber { settings.history == .all ? min(member.first, room.shown) : member.first }
    /// Whether it is too large for everybody to hear what everybody has read.
    var isLarge: Bool { room.members > RoomLimits.receiptMembersMax }
}

/// Which chats a user may read and write.
///
/// - Confinement: store
package struct ConversationRights {
    let transaction: Transaction

    package init(transaction: Transaction) { self.transaction = transaction }

    /// The chat, if `user` is one of its members.
    ///
    /// - Throws: `Refusal`: `forbidden` for a chat of others, whether or not it exists; `not-found` for a chat of the
    ///   user that was never opened.
    package func memberChat(_ name: ChatID, of user: StreamID, _ userName: UserID) throws -> MemberChat {
        if !name.isRoom, name.other(than: userName) == nil { throw Self.foreignChat }
        guard let chat = try transaction.chats.find(name) else {
            if name.isRoom { throw Self.foreignChat }
            throw Refusal(.notFound, "there is no chat \(name.text) yet; recommend something to open it", field: "chat")
        }
        if chat.isRoom { return try memberRoom(chat, of: user) }
        let members = try transaction.chats.members(of: chat.id)
        guard let own = members.first(where: { $0.user == user }) else { throw Self.foreignChat }
        return MemberChat(chat: chat, own: own, members: members, standing: nil)
    }

    /// The same for a room that was found already.
    func memberRoom(_ chat: ChatEntry, of user: StreamID) throws -> MemberChat {
        guard let own = try transaction.chats.member(user, of: chat.id),
            let member = try transaction.rooms.member(user, of: chat.id),
            let room = try transaction.rooms.find(chat.id)
        else { throw Self.foreignChat }
        return MemberChat(chat: chat, own: own, members: [], standing: RoomStanding(room: room, member: member))
    }

    /// The message of a number, if it exists for the member.
    func message(_ n: MessageNumber, in chat: MemberChat) throws -> MessageEntry {
        guard n >= chat.first, let message = try transaction.messages.find(n, in: chat.chat.id) else {
            throw Refusal(.notFound, "there is no message \(n) for you; the chat has \(chat.chat.last)", field: "n")
        }
        return message
    }

    /// Checks that a member of a chat is not muted in it.
    ///
    /// - Throws: `Refusal` (`forbidden`) with the time until when.
    func checkMayWrite(in chat: MemberChat, at now: Timestamp) throws {
        guard let until = chat.standing?.member.muted, until > now else { return }
        throw Refusal(
            .forbidden, "you are muted in this room until \(until.text)", field: "chat",
            retryAfterMilliseconds: until.milliseconds - now.milliseconds)
    }

    /// Checks that a member may send a message into a chat now.
    ///
    /// - Throws: `Refusal`: `forbidden`, or `rate-limited` in a room with a pace.
    func checkMaySend(in chat: MemberChat, at now: Timestamp) throws {
        guard let standing = chat.standing else { return }
        try checkMayWrite(in: chat, at: now)
        guard !standing.isModerator else { return }
        if standing.settings.posting == .moderators {
            throw Refusal(.forbidden, "only moderators write in this room", field: "chat")
        }
        guard standing.settings.pace > 0, let sent = standing.member.sent else { return }
        let wait = sent.milliseconds + standing.settings.pace * 1000 - now.milliseconds
        guard wait <= 0 else {
            throw Refusal(
                .rateLimited, "a member of this room sends one message in \(standing.settings.pace) s", field: "chat",
                retryAfterMilliseconds: wait)
        }
    }

    /// The chats that a user may read, each with the number of the first message that exists for the user.
    func memberChats(of user: UserEntry) throws -> [Int64: MessageNumber] {
        let chats = try transaction.chats.numbers(of: user.id).map { ($0, MessageNumber(1)) }
        let rooms = try user.rooms > 0 ? transaction.rooms.firstMessages(for: user.id) : []
        return Dictionary(chats + rooms) { _, first in first }
    }

    /// Nobody writes to a person while one of the two blocks the other. In a room both stay.
    ///
    /// - Throws: `Refusal` (`blocked`), the same for both of them.
    func checkBlock(in chat: MemberChat, field: String) throws {
        let user = chat.own.user
        guard try transaction.blocks.concern(user), let other = chat.members.first(where: { $0.user != user })?.user
        else { return }
        try checkBlock(between: user, and: other, field: field)
    }

    /// - Throws: `Refusal` (`blocked`) when one of two users blocks the other.
    func checkBlock(between user: StreamID, and other: StreamID, field: String) throws {
        guard try transaction.blocks.stands(between: user, and: other) else { return }
        throw Self.blocked(field: field)
    }

    static func blocked(field: String) -> Refusal {
        Refusal(.blocked, "one of you has blocked the other", field: field)
    }

    static let foreignChat = Refusal(.forbidden, "you are not a member of this chat", field: "chat")
}
