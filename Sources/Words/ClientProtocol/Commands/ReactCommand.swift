package import Model

/// Reacts to a message with an emoji, or takes the reaction back.
///
/// - Confinement: any
package struct ReactCommand: Command {
    package static let name = "react"

    package var chat: ChatID
    package var n: MessageNumber
    /// One grapheme, which may be many code points: a family, a flag, a hand of some colour.
    package var emoji: String
    package var isOn: Bool
    package var key: WriteKey?
}

extension ReactCommand {
    package static let form = CommandForm(
        [.chat, .number, .need("emoji", .text(1...FieldLimits.emojiBytesMax)), .on, .anyKey], ok: [.seq])

    package init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").chatID()
        n = try fields.required("n").messageNumber()
        emoji = try fields.required("emoji").grapheme()
        isOn = try fields.required("on").bool()
        key = try fields.optional("key")?.key()
    }
}

extension ReactCommand {
    /// Takes a reaction back.
    package init(takingBack emoji: String, from n: MessageNumber, in chat: ChatID) {
        self.init(chat: chat, n: n, emoji: emoji, isOn: false)
    }
}
