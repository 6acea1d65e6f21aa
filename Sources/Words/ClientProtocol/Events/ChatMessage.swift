package import JSON
package import Model

/// A message of a chat as clients see it: in the event `message` and in the list of `history` and `search`.
///
/// - Confinement: any
package struct ChatMessage: Sendable, Hashable {
    package var chat: ChatID
    package var n: MessageNumber
    package var from: UserID
    package var at: Timestamp
    /// The sender's key of the write, by which its other devices recognize what they sent.
    package var key: WriteKey?
    /// The text, or the note of a recommendation; nil for a recommendation without one.
    package var text: String?
    package var product: Product?
    package var replyTo: MessageNumber?
    /// How it has changed since it was sent; nil in the event of a message that has not.
    package var changes: MessageChanges?

    package init(
        chat: ChatID,
        n: MessageNumber,
        from: UserID,
        at: Timestamp,
        key: WriteKey? = nil,
        text: String? = nil,
        product: Product? = nil,
        replyTo: MessageNumber? = nil
    ) {
        self.chat = chat
        self.n = n
        self.from = from
        self.at = at
        self.key = key
        self.text = text
        self.product = product
        self.replyTo = replyTo
    }

    /// Writes the message's members, without `seq` and `type`.
    package func write(to writer: inout JSONWriter) {
        writer.member("chat", chat)
        writer.member("n", n)
        writer.member("from", from.text)
        writer.member("at", at)
        if let key { writer.member("key", key.text) }
        if let text { writer.member("text", text) }
        if let product {
            writer.name("product")
            product.write(to: &writer)
        }
        if let replyTo { writer.member("replyTo", replyTo) }
        changes?.write(to: &writer)
    }
}

extension Product {
    /// Writes the product as an object.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        if let title { writer.member("title", title) }
        if let year { writer.member("year", year) }
        if let poster { writer.member("poster", poster) }
        writer.endObject()
    }
}
