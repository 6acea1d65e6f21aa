package import ClientProtocol
package import Execution
package import JSON
import Model
import Store

/// `followers`: the followers of a topic; without `topic`, of the caller. Those of a person are not for people whom the person
/// blocks.
///
/// - Confinement: any
package struct ListFollowers: ReadUseCase {
    let command: FollowersCommand

    package init(_ command: FollowersCommand) { self.command = command }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let topic = try command.topic ?? Topic(user: context.user().name)
        let after = try Cursor.number(command.after, field: "after") ?? 0
        try checkBlock(of: topic, in: context)
        let stream = try context.transaction.streams.find(topic)
        var followers: [(id: StreamID, name: UserID)] = []
        if let stream {
            followers = try context.transaction.follows.followers(
                of: stream.id,
                after: StreamID(stored: after),
                limit: command.limit + 1
            )
        }
        let page = Page(followers, limit: command.limit) { String($0.id.value) }
        var answer = JSONObject("users", page) { .string($0.name.text) }
        answer["count"] = .integer(stream?.followers ?? 0)
        return answer
    }

    private func checkBlock(of topic: Topic, in context: ReadContext) throws {
        let transaction = context.transaction
        guard case .user(let reader, _, _) = context.actor, let owner = topic.user,
            let id = try transaction.users.number(of: owner), try transaction.blocks.concern(reader),
            try transaction.blocks.since(reader, by: id) != nil
        else { return }
        throw ConversationRights.blocked(field: "topic")
    }
}

extension FollowersCommand: AnsweredCommand {
    package var work: CommandWork { .read(ListFollowers(self)) }
}
