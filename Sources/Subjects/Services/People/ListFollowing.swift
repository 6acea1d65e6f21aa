package import ClientProtocol
package import Execution
package import JSON
import Model
import Store

/// `following`: the topics that the caller follows; with `topic`, whether the caller follows that one.
///
/// - Confinement: any
package struct ListFollowing: ReadUseCase {
    let command: FollowingCommand

    package init(_ command: FollowingCommand) { self.command = command }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let user = try context.user()
        let follows = context.transaction.follows
        var topics: [Topic] = []
        if let topic = command.topic {
            if let stream = try context.transaction.streams.find(topic),
                try follows.since(follower: user.id, stream: stream.id) != nil
            {
                topics = [topic]
            }
        } else {
            topics = try follows.topics(of: user.id, after: command.after ?? "", limit: command.limit + 1)
        }
        var answer = JSONObject("topics", Page(topics, limit: command.limit) { $0.text }) { .string($0.text) }
        answer["count"] = .integer(try follows.count(of: user.id))
        return answer
    }
}

extension FollowingCommand: AnsweredCommand {
    package var work: CommandWork { .read(ListFollowing(self)) }
}
