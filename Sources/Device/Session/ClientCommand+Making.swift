import ClientProtocol
import JSON
package import Model

/// The commands that bots and the command line use most.
extension ClientCommand {
    /// A text to a person, opening the chat when there is none.
    package static func send(_ text: String, to user: UserID, key: WriteKey) -> ClientCommand {
        ClientCommand(SendCommand.self, ["to": .string(user.text), "text": .string(text), "key": .string(key.text)])
    }

    /// A text to a chat that exists.
    package static func send(_ text: String, in chat: ChatID, key: WriteKey) -> ClientCommand {
        ClientCommand(SendCommand.self, ["chat": .string(chat.text), "text": .string(text), "key": .string(key.text)])
    }

    /// A product for a person.
    package static func recommend(
        _ product: Product,
        to user: UserID,
        note: String? = nil,
        key: WriteKey
    ) -> ClientCommand {
        var object: JSONObject = ["id": .string(product.id)]
        if let title = product.title { object["title"] = .string(title) }
        if let year = product.year { object["year"] = .integer(Int64(year)) }
        if let poster = product.poster { object["poster"] = .string(poster) }
        var fields: JSONObject = ["to": .string(user.text), "product": .object(object)]
        if let note { fields["note"] = .string(note) }
        fields["key"] = .string(key.text)
        return ClientCommand(RecommendCommand.self, fields)
    }

    /// Everything up to `n` is read.
    package static func read(_ chat: ChatID, upTo n: MessageNumber) -> ClientCommand {
        ClientCommand(ReadCommand.self, ["chat": .string(chat.text), "n": .integer(n)])
    }

    /// Follows a topic from now on.
    package static func follow(_ topic: Topic, key: WriteKey? = nil) -> ClientCommand {
        ClientCommand(FollowCommand.self, fields(topic, key))
    }

    /// Ends the follow of a topic.
    package static func unfollow(_ topic: Topic, key: WriteKey? = nil) -> ClientCommand {
        ClientCommand(UnfollowCommand.self, fields(topic, key))
    }

    /// A page of the user's chats, newest first; `before` is the `next` of the last page.
    package static func chats(before: String? = nil, limit: Int = Limits.pageMax) -> ClientCommand {
        ClientCommand(ChatsCommand.self, page(before, limit))
    }

    /// A page of the user's notifications, newest first; `before` is the `next` of the last page.
    package static func notifications(before: String? = nil, limit: Int = Limits.pageMax) -> ClientCommand {
        ClientCommand(NotificationsCommand.self, page(before, limit))
    }

    /// A page of a chat's messages, the oldest first; 0 begins at the first.
    package static func history(_ chat: ChatID, after n: MessageNumber, limit: Int = Limits.pageMax) -> ClientCommand {
        ClientCommand(
            HistoryCommand.self, ["chat": .string(chat.text), "after": .integer(n), "limit": .integer(Int64(limit))])
    }

    private static func fields(_ topic: Topic, _ key: WriteKey?) -> JSONObject {
        var fields: JSONObject = ["topic": .string(topic.text)]
        if let key { fields["key"] = .string(key.text) }
        return fields
    }

    private static func page(_ before: String?, _ limit: Int) -> JSONObject {
        var fields: JSONObject = ["limit": .integer(Int64(limit))]
        if let before { fields["before"] = .string(before) }
        return fields
    }
}
