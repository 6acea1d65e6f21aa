import Log
package import Model

/// A chat in which a device has come further.
///
/// - Confinement: any
package struct DeliveredChat: Sendable {
    package let chat: ChatEntry
    /// Everything up to this number is on one of the user's devices.
    package let upTo: MessageNumber
    /// The newest message of somebody else that was not there before; nil when all of them are the user's own.
    package let newestOfOthers: MessageNumber?
}

extension ChatEntry {
    /// The condition that a chat has an entry in the log between ?2 and ?3: a message's entry lies in its chat's
    /// stream.
    fileprivate static let isLogged = """
        chats.id IN (SELECT \(StreamSQL.chat) FROM changes WHERE seq > ?2 AND seq <= ?3 AND \(StreamSQL.isChat))
        """
}

// The cost of `ack` is in proportion to what it acknowledges, however small the steps in which a client does it.
extension ChatTable {
    /// Up to this many entries of the log are searched for the chats they belong to; beyond it, all chats of the user.
    private var loggedMax: Int64 { 256 }
    /// How many messages of the user's own may come after the mark.
    private var ownMax: MessageNumber { 64 }

    /// The chats in which messages lie after `after` and not after `upTo` that are not yet marked as delivered to the
    /// user: those with a message of somebody else, and those with very many of the user's own. Large rooms are not among them.
    package func newlyDelivered(to user: StreamID, after: Position, upTo: Position) throws -> [DeliveredChat] {
        try access.flushChats()
        let messages = MessageTable(access: access)
        return try candidates(of: user, after: after, upTo: upTo).compactMap { chat, delivered in
            let last = try messages.firstNumber(of: chat.id, after: upTo, last: chat.last) - 1
            guard last > delivered else { return nil }
            let newest = try messages.newestOfOthers(of: chat.id, in: (delivered + 1)...last, than: user)
            guard newest != nil || last - delivered > ownMax else { return nil }
            return DeliveredChat(chat: chat, upTo: last, newestOfOthers: newest)
        }
    }

    /// The user's chats that may have a message in the range, each with the number up to which the user has it.
    private func candidates(
        of user: StreamID,
        after: Position,
        upTo: Position
    ) throws -> [(chat: ChatEntry, delivered: MessageNumber)] {
        let isLogged = try LogRetention(access: access).from() <= after
        let isShort = isLogged && upTo.value - after.value <= loggedMax
        let which = isShort ? ChatEntry.isLogged : "1"
        return try access.all(
            """
            SELECT chats.id, chats.name, chats.last, chats.last_seq, members.delivered
            FROM members JOIN chats ON chats.id = members.chat LEFT JOIN rooms ON rooms.chat = chats.id
            WHERE coalesce(rooms.members, 0) <= \(RoomLimits.receiptMembersMax) AND members.user = ?1 AND chats.last_seq > ?2 AND ?3 > 0 AND \(which)
            """,
            [user.value, after.value, upTo.value]
        ) { row in (try ChatEntry(row), try row[4]) }
    }
}
