import ClientProtocol
package import Execution
package import Model
import Store

/// `GET /v1/chats/CHAT/messages`: a page of a chat for an administrator, who is not one of its members.
///
/// - Confinement: any
package struct ReadConversation: ReadUseCase {
    let chat: ChatID
    let before: MessageNumber?
    let after: MessageNumber?
    let limit: Int

    /// - Parameter after: excludes `before`; then the page has the messages after that number.
    package init(_ chat: ChatID, before: MessageNumber?, after: MessageNumber?, limit: Int) {
        self.chat = chat
        self.before = before
        self.after = after
        self.limit = limit
    }

    package func perform(in context: ReadContext) throws -> ReadHistory.Answer {
        guard let chat = try context.transaction.chats.find(chat) else {
            throw Refusal(.notFound, "there is no chat \(chat.text)", field: "chat")
        }
        return try ReadHistory.page(
            of: chat, for: .nobody, before: before, after: after, limit: limit, in: context.transaction)
    }
}
