package import Model

/// A message to a chat, or to a person with whom the chat may not be open yet.
///
/// - Confinement: any
package struct SendCommand: Command {
    package static let name = "send"

    /// The chat or the person that a message is for: `chat` or `to` on the wire, exactly one of them.
    package enum Recipient: Sendable, Hashable {
        case chat(ChatID)
        case user(UserID)

        init(_ fields: Fields) throws(Refusal) {
            switch (fields.optional("chat"), fields.optional("to")) {
            case (let chat?, nil): self = .chat(try chat.chatID())
            case (nil, let user?): self = .user(try user.userID())
            case (nil, nil): throw .badRequest(field: "chat", "or to is required")
            case (_?, _?): throw .badRequest(field: "to", "must not be given together with chat")
            }
        }
    }

    package var recipient: Recipient
    package var text: String
    package var replyTo: MessageNumber?
    package var key: WriteKey
}

extension SendCommand {
    package static let form = CommandForm(
        either: [
            [.chat, .without("to"), .messageText, .replyTo, .key],
            [.need("to", .newUser), .without("chat"), .messageText, .replyTo, .key],
        ], ok: CommandForm.written)

    package init(_ fields: Fields) throws(Refusal) {
        recipient = try Recipient(fields)
        text = try fields.required("text").shownText(1...Limits.messageCharactersMax)
        replyTo = try fields.optional("replyTo")?.messageNumber()
        key = try fields.required("key").key()
    }
}
