import ClientProtocol
import Execution
import Model
import Store

/// Reads the messages of a chat for a list.
///
/// - Confinement: store
struct MessageReading {
    let transaction: Transaction
    let chat: ChatID
    private var names: [StreamID: UserID] = [:]

    init(transaction: Transaction, chat: ChatID) {
        self.transaction = transaction
        self.chat = chat
    }

    /// A stored message, with the name of its author.
    mutating func listed(_ message: MessageEntry) throws -> ListedMessage {
        guard let author = try names[message.author] ?? transaction.users.name(of: message.author) else {
            throw StoredValueProblem(place: "messages.author")
        }
        names[message.author] = author
        return ListedMessage(
            position: message.position,
            message: ChatMessage(
                chat: chat,
                n: message.n,
                from: author,
                at: message.at,
                key: message.key,
                text: message.text,
                product: try message.product.flatMap { try StoredJSON.product($0) },
                replyTo: message.replyTo
            ),
            seen: message.seen
        )
    }
}
