package import Model

/// A page of the topics that the user follows, or whether `topic` is one of them.
///
/// - Confinement: any
package struct FollowingCommand: Command {
    package static let name = "following"

    package var topic: Topic?
    /// The `next` of the page before.
    package var after: String?
    package var limit = Limits.pageDefault
}

extension FollowingCommand {
    package static let form = CommandForm(
        [
            .may("topic", .topic),
            .may(
                "after", .either([.visible(FieldLimits.cursorBytesMax), .integer(0...FieldLimits.integerMax)]),
                "The next of an earlier page."), .limit,
        ],
        ok: [.need("topics", .list(.topic)), .need("count", .count), .next])

    package init(_ fields: Fields) throws(Refusal) {
        topic = try fields.optional("topic")?.admittedTopic()
        after = try fields.optional("after")?.cursor()
        limit = try fields.limit()
    }

    package var weight: Int { 1 + limit / Limits.rowsPerWeight }
}
