package import Model

/// Stops following a topic; repeating is no error.
///
/// - Confinement: any
package struct UnfollowCommand: Command {
    package static let name = "unfollow"

    package var topic: Topic
    package var key: WriteKey?
}

extension UnfollowCommand {
    package static let form = CommandForm([.need("topic", .topic), .anyKey], ok: [.seq, .need("followers", .count)])

    package init(_ fields: Fields) throws(Refusal) {
        topic = try fields.required("topic").admittedTopic()
        key = try fields.optional("key")?.key()
    }
}
