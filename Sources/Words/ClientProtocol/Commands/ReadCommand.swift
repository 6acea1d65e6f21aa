package import Model

/// Says that the user has read everything up to the message `n`.
///
/// - Confinement: any
package struct ReadCommand: Command {
    package static let name = "read"

    package var chat: ChatID
    package var n: MessageNumber
    package var key: WriteKey?
}

extension ReadCommand {
    package static let form = CommandForm([.chat, .number, .anyKey], ok: [.seq])

    package init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").chatID()
        n = try fields.required("n").messageNumber()
        key = try fields.optional("key")?.key()
    }
}
