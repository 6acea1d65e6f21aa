package import Model

/// Deletes a message; its number stays.
///
/// - Confinement: any
package struct DeleteCommand: Command {
    package static let name = "delete"

    package var chat: ChatID
    package var n: MessageNumber
    package var key: WriteKey?
}

extension DeleteCommand {
    package static let form = CommandForm([.chat, .number, .anyKey], ok: [.seq])

    package init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").chatID()
        n = try fields.required("n").messageNumber()
        key = try fields.optional("key")?.key()
    }
}
