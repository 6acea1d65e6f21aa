package import Model

/// The commands between people.
extension Command {
    /// Blocks a person from chat, presence, notifications and push.
    package struct Block: Sendable, Hashable {
        package var user: UserID

        package init(user: UserID) {
            self.user = user
        }
    }

    /// Takes a block back.
    package struct Unblock: Sendable, Hashable {
        package var user: UserID

        package init(user: UserID) {
            self.user = user
        }
    }

    /// Reports a person, or one message, to the operator.
    package struct Report: Sendable, Hashable {
        package var user: UserID
        package var chat: ChatID?
        package var n: MessageNumber?
        package var reason: String?

        package init(user: UserID, chat: ChatID? = nil, n: MessageNumber? = nil, reason: String? = nil) {
            self.user = user
            self.chat = chat
            self.n = n
            self.reason = reason
        }
    }
}

extension Command.Block {
    init(_ fields: Fields) throws(Refusal) {
        user = try fields.required("user").userID()
    }
}

extension Command.Unblock {
    init(_ fields: Fields) throws(Refusal) {
        user = try fields.required("user").userID()
    }
}

extension Command.Report {
    init(_ fields: Fields) throws(Refusal) {
        user = try fields.required("user").userID()
        chat = try fields.optional("chat")?.chatID()
        n = try fields.optional("n")?.messageNumber()
        reason = try fields.optional("reason")?.text(0...FieldLimits.reasonCharactersMax)
    }
}
