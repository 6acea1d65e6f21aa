package import Model

/// A page of a chat's messages, backwards from `before` or forwards from `after`.
///
/// - Confinement: any
package struct HistoryCommand: Command {
    package static let name = "history"

    package var chat: ChatID
    package var before: MessageNumber?
    /// 0 begins at the first message.
    package var after: MessageNumber?
    package var limit = Limits.pageDefault
}

extension HistoryCommand {
    package init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").chatID()
        before = try fields.optional("before")?.numberOrCursor(from: 1)
        after = try fields.optional("after")?.numberOrCursor(from: 0)
        limit = try fields.limit()
        guard before == nil || after == nil else {
            throw .badRequest(field: "after", "must not be given together with before")
        }
    }

    package var weight: Int { 1 + limit / Limits.rowsPerWeight }
}
