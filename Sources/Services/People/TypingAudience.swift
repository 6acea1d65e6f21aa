package import Model
package import Store

/// The recipients of a typing signal: the other members of a chat of the user.
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
