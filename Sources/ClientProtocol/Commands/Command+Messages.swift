package import Model

/// The commands that make and change messages.
extension Command {
    /// Whom a message is for.
    package enum Recipient: Sendable, Hashable {
        case chat(ChatID)
        case user(UserID)
    }

    /// Recommends a product to a person, opening the chat when there is none.
    package struct Recommend: Sendable, Hashable {
        package var to: UserID
        package var product: Product
        package var note: String?
        package var key: WriteKey

        package init(to: UserID, product: Product, note: String? = nil, key: WriteKey) {
            self.to = to
            self.product = product
            self.note = note
            self.key = key
        }
    }

    /// A message to a chat, or to a person with whom the chat may not be open yet.
    package struct Send: Sendable, Hashable {
        /// `chat` or `to` on the wire, exactly one of them.
        package var recipient: Recipient
        package var text: String
        package var replyTo: MessageNumber?
        package var key: WriteKey

        package init(recipient: Recipient, text: String, replyTo: MessageNumber? = nil, key: WriteKey) {
            self.recipient = recipient
            self.text = text
            self.replyTo = replyTo
            self.key = key
        }
    }

    /// Another text for a message of one's own.
    package struct Edit: Sendable, Hashable {
        package var chat: ChatID
        package var n: MessageNumber
        package var text: String

        package init(chat: ChatID, n: MessageNumber, text: String) {
            self.chat = chat
            self.n = n
            self.text = text
        }
    }

    /// Takes a message of one's own back; it keeps its number.
    package struct Delete: Sendable, Hashable {
        package var chat: ChatID
        package var n: MessageNumber

        package init(chat: ChatID, n: MessageNumber) {
            self.chat = chat
            self.n = n
        }
    }

    /// Puts a reaction on a message, or takes it away.
    package struct React: Sendable, Hashable {
        package var chat: ChatID
        package var n: MessageNumber
        package var emoji: String
        package var on: Bool

        package init(chat: ChatID, n: MessageNumber, emoji: String, on: Bool) {
            self.chat = chat
            self.n = n
            self.emoji = emoji
            self.on = on
        }
    }
}

extension Command.Recommend {
    init(_ fields: Fields) throws(Refusal) {
        to = try fields.required("to").userID()
        product = try fields.required("product").product()
        note = try fields.optional("note")?.text(0...Limits.noteCharactersMax)
        key = try fields.required("key").key()
    }
}

extension Command.Send {
    init(_ fields: Fields) throws(Refusal) {
        recipient = try Command.Recipient(fields)
        text = try fields.required("text").text(1...Limits.messageCharactersMax)
        replyTo = try fields.optional("replyTo")?.messageNumber()
        key = try fields.required("key").key()
    }
}

extension Command.Edit {
    init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").chatID()
        n = try fields.required("n").messageNumber()
        text = try fields.required("text").text(1...Limits.messageCharactersMax)
    }
}

extension Command.Delete {
    init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").chatID()
        n = try fields.required("n").messageNumber()
    }
}

extension Command.React {
    init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").chatID()
        n = try fields.required("n").messageNumber()
        emoji = try fields.required("emoji").text(1...FieldLimits.emojiCharactersMax)
        on = try fields.required("on").bool()
    }
}

extension Command.Recipient {
    init(_ fields: Fields) throws(Refusal) {
        switch (fields.optional("chat"), fields.optional("to")) {
        case (let chat?, nil): self = .chat(try chat.chatID())
        case (nil, let user?): self = .user(try user.userID())
        case (nil, nil): throw .badRequest(field: "chat", "or to is required")
        case (_?, _?): throw .badRequest(field: "to", "must not be given together with chat")
        }
    }
}
