package import Model

/// Says whether a person looks at the device now, and at which chat.
///
/// - Confinement: any
package struct FocusCommand: Command {
    package static let name = "focus"
    package static let isRepeatable = false
    package static let needsSession = true

    package var on: Bool
    /// The chat on the screen; it says nothing where nobody looks.
    package var chat: ChatID?
}

extension FocusCommand {
    package static let form = CommandForm([.on, .may("chat", .anyChat)], ok: [])

    package init(_ fields: Fields) throws(Refusal) {
        on = try fields.required("on").bool()
        chat = try fields.optional("chat")?.chatID()
    }
}
