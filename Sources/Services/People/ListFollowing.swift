package import ClientProtocol
package import JSON
import Model
import Store

/// `following`: the topics the caller follows; with `topic`, whether he follows that one.
///
/// - Confinement: any
package struct ListFollowing: ReadUseCase {
    let command: Command.Following

    package init(_ command: Command.Following) { self.command = command }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
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
        reply.name("topics")
        reply.beginArray()
        for topic in topics.prefix(command.limit) { reply.string(topic.text) }
        reply.endArray()
        if topics.count > command.limit { reply.member("next", topics[command.limit - 1].text) }
        reply.member("count", try follows.count(of: user.id))
    }
}
