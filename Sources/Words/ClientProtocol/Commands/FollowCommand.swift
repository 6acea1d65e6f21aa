package import Model

/// Follows a topic; repeating is no error.
///
/// - Confinement: any
package struct FollowCommand: Command {
    package static let name = "follow"

    package var topic: Topic
    package var key: WriteKey?
}

extension FollowCommand {
    package static let form = CommandForm(
        [.need("topic", .newTopic), .anyKey], ok: [.seq, .need("followers", .count)])

    package init(_ fields: Fields) throws(Refusal) {
        topic = try fields.required("topic").topic()
        key = try fields.optional("key")?.key()
    }
}
