package import Model

/// The commands about what is followed.
extension Command {
    /// Follows a topic; repeating is no error.
    package struct Follow: Sendable, Hashable {
        package var topic: Topic
        package var key: WriteKey?

        package init(topic: Topic, key: WriteKey? = nil) {
            self.topic = topic
            self.key = key
        }
    }

    /// Follows a topic no longer; repeating is no error.
    package struct Unfollow: Sendable, Hashable {
        package var topic: Topic
        package var key: WriteKey?

        package init(topic: Topic, key: WriteKey? = nil) {
            self.topic = topic
            self.key = key
        }
    }

    /// A page of the topics the user follows, or whether `topic` is one.
    package struct Following: Sendable, Hashable {
        package var topic: Topic?
        /// The `next` of the page before.
        package var after: String?
        package var limit: Int

        package init(topic: Topic? = nil, after: String? = nil, limit: Int = Limits.pageDefault) {
            self.topic = topic
            self.after = after
            self.limit = limit
        }
    }

    /// A page of a topic's followers; of the user's own when there is no topic.
    package struct Followers: Sendable, Hashable {
        package var topic: Topic?
        /// The `next` of the page before.
        package var after: String?
        package var limit: Int

        package init(topic: Topic? = nil, after: String? = nil, limit: Int = Limits.pageDefault) {
            self.topic = topic
            self.after = after
            self.limit = limit
        }
    }
}

extension Command.Follow {
    init(_ fields: Fields) throws(Refusal) {
        topic = try fields.required("topic").topic()
        key = try fields.optional("key")?.key()
    }
}

extension Command.Unfollow {
    init(_ fields: Fields) throws(Refusal) {
        topic = try fields.required("topic").topic()
        key = try fields.optional("key")?.key()
    }
}

extension Command.Following {
    init(_ fields: Fields) throws(Refusal) {
        topic = try fields.optional("topic")?.topic()
        after = try fields.optional("after")?.cursor()
        limit = try fields.limit()
    }
}

extension Command.Followers {
    init(_ fields: Fields) throws(Refusal) {
        topic = try fields.optional("topic")?.topic()
        after = try fields.optional("after")?.cursor()
        limit = try fields.limit()
    }
}
