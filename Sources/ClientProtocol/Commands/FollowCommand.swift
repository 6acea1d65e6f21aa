package import Model

/// Follows a topic; repeating is no error.
///
/// - Confinement: any
package struct FollowCommand: Command {
    package static let name = "follow"

    package var topic: Topic
    package var key: WriteKey?

    package init(topic: Topic, key: WriteKey? = nil) {
        self.topic = topic
        self.key = key
    }

    package init(_ fields: Fields) throws(Refusal) {
        topic = try fields.required("topic").topic()
        key = try fields.optional("key")?.key()
    }
}
