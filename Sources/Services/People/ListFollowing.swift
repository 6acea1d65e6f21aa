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

    package func perform(in context: ReadContext) throws -> Answer {
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
        return Answer(page: Page(topics, limit: command.limit) { $0.text }, count: try follows.count(of: user.id))
    }

    /// The answer: `topics` and `count`.
    package struct Answer: UseCaseAnswer {
        let page: Page<Topic>
        /// Of all topics that the caller follows.
        let count: Int64

        package func write(to reply: inout JSONWriter) {
            reply.array("topics") { reply in
                for entry in page.entries { reply.string(entry.text) }
            }
            reply.next(of: page)
            reply.member("count", count)
        }
    }
}

extension FollowingCommand: AnsweredCommand {
    package var work: CommandWork { .read(ListFollowing(self)) }
}
