import Execution
package import Model
package import Store

/// The recipients of a typing signal: the other member of a pair; or a room's stream, and after it those of its
/// members who do not get it.
///
/// - Confinement: any
package enum TypingAudience {
    /// In a room, those who block the user, or whom the user blocks, do not hear of it.
    ///
    /// - Throws: `Refusal` when the chat is not the user's, or the user is muted, or in a pair one blocks the
    ///   other.
    package static func members(
        of chat: ChatID,
        besides user: UserEntry,
        at now: Timestamp,
        in transaction: Transaction
    ) throws -> [StreamID] {
        if let mute = try transaction.restrictions.inForce(.mute, of: user.id, at: now) {
            throw mute.refusal(at: now)
        }
        let rights = ConversationRights(transaction: transaction)
        let place = try rights.memberChat(chat, of: user.id, user.name)
        guard place.standing == nil else {
            try rights.checkMaySend(in: place, at: now)
            let apart = try transaction.blocks.members(ofRoom: place.chat.id, apartFrom: user.id)
            return [StreamID(chat: place.chat.id), user.id] + apart
        }
        try rights.checkBlock(in: place, field: "chat")
        return place.members.map(\.user).filter { $0 != user.id }
    }
}
