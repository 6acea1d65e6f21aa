package import Model

/// Puts a chat of the user away until somebody writes, or takes it back; or puts notifications away for good.
///
/// - Confinement: any
package struct ArchiveCommand: Command {
    package static let name = "archive"

    /// - Confinement: any
    package enum Subject: Sendable, Hashable {
        case chat(ChatID, isOn: Bool)
        case notifications([String])
    }

    package var subject: Subject
    package var key: WriteKey?
}

extension ArchiveCommand {
    package static let form = CommandForm(
        either: [[.chat, .without("ids"), .on, .anyKey], [.ids, .without("chat"), .without("on"), .anyKey]],
        ok: [.may("unread", .count, "Of notifications, with ids."), .seq])

    package init(_ fields: Fields) throws(Refusal) {
        switch (fields.optional("chat"), fields.optional("ids")) {
        case (let chat?, nil): subject = .chat(try chat.chatID(), isOn: try fields.required("on").bool())
        case (nil, let list?):
            // A client that means to take them back must not put them away.
            guard fields.optional("on") == nil else {
                throw .badRequest(field: "on", "must not be given together with ids: notifications do not come back")
            }
            subject = .notifications(try list.notificationIDs())
        case (nil, nil): throw .badRequest(field: "chat", "or ids is required")
        case (_?, _?): throw .badRequest(field: "ids", "must not be given together with chat")
        }
        key = try fields.optional("key")?.key()
    }

    package var weight: Int { 1 + listed / Limits.idsPerWeight }

    package func heldBytes(ofText text: [UInt8]) -> Int { text.count + listed * Limits.listedIDBytes }

    private var listed: Int {
        if case .notifications(let ids) = subject { ids.count } else { 0 }
    }
}
