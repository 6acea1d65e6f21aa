package import Model

/// The commands about chats as a whole.
extension Command {
    /// Everything up to `n` is read.
    package struct Read: Sendable, Hashable {
        package var chat: ChatID
        package var n: MessageNumber

        package init(chat: ChatID, n: MessageNumber) {
            self.chat = chat
            self.n = n
        }
    }

    /// Whether the user is writing; ephemeral.
    package struct Typing: Sendable, Hashable {
        package var chat: ChatID
        package var on: Bool

        package init(chat: ChatID, on: Bool) {
            self.chat = chat
            self.on = on
        }
    }

    /// A page of the user's chats, newest first.
    package struct Chats: Sendable, Hashable {
        /// The `next` of the page before.
        package var before: String?
        package var limit: Int

        package init(before: String? = nil, limit: Int = Limits.pageDefault) {
            self.before = before
            self.limit = limit
        }
    }

    /// A page of a chat's messages, backwards from `before` or forwards from `after`.
    package struct History: Sendable, Hashable {
        package var chat: ChatID
        package var before: MessageNumber?
        /// 0 begins at the first message.
        package var after: MessageNumber?
        package var limit: Int

        package init(
            chat: ChatID,
            before: MessageNumber? = nil,
            after: MessageNumber? = nil,
            limit: Int = Limits.pageDefault
        ) {
            self.chat = chat
            self.before = before
            self.after = after
            self.limit = limit
        }
    }

    /// Full text over the user's own chats, or one of them.
    package struct Search: Sendable, Hashable {
        package var q: String
        package var chat: ChatID?
        /// The `next` of the page before.
        package var before: String?
        package var limit: Int

        package init(q: String, chat: ChatID? = nil, before: String? = nil, limit: Int = Limits.pageDefault) {
            self.q = q
            self.chat = chat
            self.before = before
            self.limit = limit
        }
    }
}

extension Command.Read {
    init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").chatID()
        n = try fields.required("n").messageNumber()
    }
}

extension Command.Typing {
    init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").chatID()
        on = try fields.required("on").bool()
    }
}

extension Command.Chats {
    init(_ fields: Fields) throws(Refusal) {
        before = try fields.optional("before")?.cursor()
        limit = try fields.limit()
    }
}

extension Command.History {
    init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").chatID()
        before = try fields.optional("before")?.numberOrCursor(from: 1)
        after = try fields.optional("after")?.numberOrCursor(from: 0)
        limit = try fields.limit()
        guard before == nil || after == nil else {
            throw .badRequest(field: "after", "must not be given together with before")
        }
    }
}

extension Command.Search {
    init(_ fields: Fields) throws(Refusal) {
        q = try fields.required("q").text(1...FieldLimits.searchCharactersMax)
        chat = try fields.optional("chat")?.chatID()
        before = try fields.optional("before")?.cursor()
        limit = try fields.limit()
    }
}
