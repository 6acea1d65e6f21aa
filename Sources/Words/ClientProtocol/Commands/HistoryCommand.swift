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
    package static let form = CommandForm(
        either: [
            [.chat, number("before", from: 1), .without("after"), .limit],
            [.chat, .without("before"), number("after", from: 0), .limit],
        ], ok: [.need("messages", .list(SharedForms.listedMessage)), .next])

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

    private static func number(_ name: String, from least: Int64) -> ValueForm.Member {
        let text = ValueForm.text(1...16, pattern: least == 0 ? "^(0|[1-9][0-9]*)$" : "^[1-9][0-9]*$")
        return .may(
            name, .either([.integer(least...FieldLimits.integerMax), text]),
            "A number, or the next of an earlier page.")
    }
}
