package import Model

/// Puts a chat of the user away until somebody writes, or takes it back.
///
/// - Confinement: any
package struct ArchiveCommand: Command {
    package static let name = "archive"

    package var chat: ChatID
    package var isOn: Bool
    package var key: WriteKey?
}

extension ArchiveCommand {
    package init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").chatID()
        isOn = try fields.required("on").bool()
        key = try fields.optional("key")?.key()
    }
}
