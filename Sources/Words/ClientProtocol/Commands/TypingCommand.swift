package import Model

/// Says whether the user is writing.
///
/// - Confinement: any
package struct TypingCommand: Command {
    package static let name = "typing"
    package static let isRepeatable = false

    package var chat: ChatID
    package var on: Bool
}

extension TypingCommand {
    package static let form = CommandForm([.chat, .on], ok: [])

    package init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").chatID()
        on = try fields.required("on").bool()
    }
}
