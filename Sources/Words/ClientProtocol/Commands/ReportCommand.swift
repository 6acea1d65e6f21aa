package import Model

/// Reports a person, or a message of the person, to the moderators.
///
/// - Confinement: any
package struct ReportCommand: Command {
    package static let name = "report"

    package var user: UserID
    package var chat: ChatID?
    package var n: MessageNumber?
    package var category = ReportCategory.other
    package var reason: String?
    package var key: WriteKey?
}

extension ReportCommand {
    private static let complaint: [ValueForm.Member] = [
        .may("category", .words(ReportCategory.allCases.map(\.rawValue))),
        .may("reason", .text(1...ModerationLimits.reportReasonCharactersMax)), .anyKey,
    ]
    package static let form = CommandForm(
        either: [
            [.user, .chat, .may("n", .messageNumber)] + complaint,
            [.user, .may("chat", .anyChat), .without("n")] + complaint,
        ], ok: [.need("report", .id), .seq])

    package init(_ fields: Fields) throws(Refusal) {
        user = try fields.required("user").author()
        chat = try fields.optional("chat")?.chatID()
        n = try fields.optional("n")?.messageNumber()
        guard n == nil || chat != nil else { throw Refusal.badRequest(field: "chat", "is required with n") }
        category =
            try fields.optional("category")?.form(ReportCategory.form) { ReportCategory(rawValue: $0) } ?? .other
        reason = try fields.optional("reason")?.text(1...ModerationLimits.reportReasonCharactersMax)
        key = try fields.optional("key")?.key()
    }
}
