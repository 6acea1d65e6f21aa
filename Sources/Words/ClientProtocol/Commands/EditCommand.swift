package import Model

/// Gives a message of the user another text.
///
/// - Confinement: any
package struct EditCommand: Command {
    package static let name = "edit"

    package var chat: ChatID
    package var n: MessageNumber
    package var text: String
    /// Edit only if the message has this number of its present form.
    package var revision: Int64?
    package var key: WriteKey?
}

extension EditCommand {
    package static let form = CommandForm(
        [.chat, .number, .messageText, .may("rev", .messageNumber), .anyKey], ok: [.seq, .need("rev", .messageNumber)])

    package init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").chatID()
        n = try fields.required("n").messageNumber()
        text = try fields.required("text").shownText(1...Limits.messageCharactersMax)
        revision = try fields.optional("rev")?.integer(1...FieldLimits.integerMax)
        key = try fields.optional("key")?.key()
    }
}
