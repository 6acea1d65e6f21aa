package import ClientProtocol
package import JSON
import Model
import Store

/// `followers`: who follows a topic; without `topic`, who follows the caller.
///
/// - Confinement: any
package struct ListFollowers: ReadUseCase {
    let command: Command.Followers

    package init(_ command: Command.Followers) { self.command = command }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
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
        reply.name("users")
        reply.beginArray()
        for follower in followers.prefix(command.limit) { reply.string(follower.name.text) }
        reply.endArray()
        if followers.count > command.limit {
            reply.member("next", String(followers[command.limit - 1].id.value))
        }
        reply.member("count", stream?.followers ?? 0)
    }
}
