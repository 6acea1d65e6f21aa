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

    package func perform(in context: ReadContext) throws -> Answer {
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
        return Answer(
            page: Page(followers, limit: command.limit) { String($0.id.value) }, count: stream?.followers ?? 0)
    }

    /// The answer: `users` and `count`.
    package struct Answer: UseCaseAnswer {
        let page: Page<(id: StreamID, name: UserID)>
        /// Of all followers of the topic.
        let count: Int64

        package func write(to reply: inout JSONWriter) {
            reply.array("users") { reply in
                for entry in page.entries { reply.string(entry.name.text) }
            }
            reply.next(of: page)
            reply.member("count", count)
        }
    }
}

extension FollowersCommand: AnsweredCommand {
    package var work: CommandWork { .read(ListFollowers(self)) }
}
