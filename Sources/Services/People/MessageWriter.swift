import ClientProtocol
import JSON
import Model
import Store

/// A stored message in the form of a list's entry.
///
/// - Confinement: store
struct MessageWriter {
    let transaction: Transaction
    let chat: ChatID
    private var names: [StreamID: UserID] = [:]

    init(transaction: Transaction, chat: ChatID) {
        self.transaction = transaction
        self.chat = chat
    }

    mutating func write(_ message: MessageEntry, to writer: inout JSONWriter) throws {
        guard let author = try names[message.author] ?? transaction.users.name(of: message.author) else {
            throw StoredValueProblem(place: "messages.author")
        }
        names[message.author] = author
        writer.beginObject()
        writer.member("seq", message.position.value)
        ChatMessage(
            chat: chat,
            n: message.n,
            from: author,
            at: message.at,
            key: message.key,
            text: message.text,
            product: try message.product.flatMap { try StoredJSON.product($0) },
            replyTo: message.replyTo
        ).write(to: &writer)
        if let seen = message.seen { writer.member("seen", seen) }
        writer.endObject()
    }
}
