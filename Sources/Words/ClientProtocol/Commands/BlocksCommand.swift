import Model

/// A page of the people whom the user blocks.
///
/// - Confinement: any
package struct BlocksCommand: Command {
    package static let name = "blocks"

    /// The `next` of the page before.
    package var after: String?
    package var limit = Limits.pageDefault
}

extension BlocksCommand {
    package static let form = CommandForm([.pageAfter, .limit], ok: CommandForm.people)

    package init(_ fields: Fields) throws(Refusal) {
        after = try fields.optional("after")?.cursor()
        limit = try fields.limit()
    }

    package var weight: Int { 1 + limit / Limits.rowsPerWeight }
}
