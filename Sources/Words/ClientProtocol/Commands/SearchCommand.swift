package import Model

/// A search in the user's chats.
///
/// - Confinement: any
package struct SearchCommand: Command {
    package static let name = "search"

    /// Words and phrases in quotes.
    package var question: String
    /// Only in this chat.
    package var chat: ChatID?
    /// Only messages of this user.
    package var author: UserID?
    /// The `next` of the page before.
    package var before: String?
    package var limit = Limits.pageDefault
}

extension SearchCommand {
    package static let form = CommandForm(
        [
            .need("q", .text(1...SearchLimits.questionCharactersMax)), .may("chat", .anyChat), .may("from", .user),
            .pageBefore, .limit,
        ],
        ok: [
            .need("messages", .list(SharedForms.foundMessage)), .next, .need("upTo", .position),
            .may("building", .yes, "Older messages are still missing."),
        ])

    package init(_ fields: Fields) throws(Refusal) {
        question = try fields.required("q").text(1...SearchLimits.questionCharactersMax)
        chat = try fields.optional("chat")?.chatID()
        author = try fields.optional("from")?.author()
        before = try fields.optional("before")?.cursor()
        limit = try fields.limit()
    }

    package var weight: Int { SearchLimits.weight + limit / Limits.rowsPerWeight }
}
