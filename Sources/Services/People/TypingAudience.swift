package import Model
package import Store

/// The recipients of a typing signal: the other member of a pair; or a room's stream, and after it the one of its members who
/// does not get it.
///
/// - Confinement: any
package enum TypingAudience {
    /// - Throws: `Refusal` when the chat is not the user's.
    package static func members(
        of chat: ChatID,
        besides user: UserEntry,
        at now: Timestamp,
        in transaction: Transaction
    ) throws -> [StreamID] {
        let rights = ConversationRights(transaction: transaction)
        let place = try rights.memberChat(chat, of: user.id, user.name)
        guard place.standing == nil else {
            try rights.checkMaySend(in: place, at: now)
            return [StreamID(chat: place.chat.id), user.id]
        }
        return place.members.map(\.user).filter { $0 != user.id }
    }
}
