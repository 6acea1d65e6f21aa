package import Model

/// A page of a topic's followers; without a topic, of the user's own followers.
///
/// - Confinement: any
package struct FollowersCommand: Command {
    package static let name = "followers"

    package var topic: Topic?
    /// The `next` of the page before.
    package var after: String?
    package var limit = Limits.pageDefault
}

extension FollowersCommand {
    package static let form = CommandForm(
        [.may("topic", .topic), .pageAfter, .limit],
        ok: CommandForm.people)

    package init(_ fields: Fields) throws(Refusal) {
        topic = try fields.optional("topic")?.admittedTopic()
        after = try fields.optional("after")?.cursor()
        limit = try fields.limit()
    }

    package var weight: Int { 1 + limit / Limits.rowsPerWeight }
}
