package import ClientProtocol
package import Execution
package import JSON
import Model
import Store

/// `followers`: the followers of a topic; without `topic`, of the caller.
///
/// - Confinement: any
package struct ListFollowers: ReadUseCase {
    let command: FollowersCommand

    package init(_ command: FollowersCommand) { self.command = command }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let topic = try command.topic ?? Topic(user: context.user().name)
        let after = try Cursor.number(command.after, field: "after") ?? 0
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
}

extension FollowersCommand: AnsweredCommand {
    package var work: CommandWork { .read(ListFollowers(self)) }
}
