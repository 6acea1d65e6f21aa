import Execution
package import Model
package import Store

/// The recipients of a typing signal: the other members of a chat of the user.
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
        let members = try rights.memberChat(chat, of: user.id, user.name).members
        try rights.checkBlock(in: chat, members, of: user.id, field: "chat")
        return try members.map(\.user).filter {
            try $0 != user.id && !transaction.blocks.stands(between: user.id, and: $0)
        }
    }
}
