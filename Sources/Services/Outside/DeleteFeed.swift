package import ClientProtocol
package import Execution
package import JSON
import Model
import Store

/// `DELETE /v1/feeds/NAME`. Its documents stay.
///
/// - Confinement: any
package struct DeleteFeed: WriteUseCase {
    let name: String

    /// - Throws: `Refusal` for a feed of the configuration.
    package init(name: String, configured: Set<String>) throws(Refusal) {
        guard !configured.contains(name) else { throw Refusal.feedIsConfigured(name) }
        self.name = name
    }

    package func perform(in context: WriteContext) throws -> Answer {
        guard try context.transaction.feeds.delete(name) else { throw Refusal.feedNotFound(name) }
        try context.transaction.feeds.forget(of: name)
        return Answer(name: name, position: try context.transaction.appendSilently())
    }

    /// The answer: `name` and `seq`.
    package struct Answer: UseCaseAnswer {
        let name: String
        let position: Position

        package func write(to reply: inout JSONWriter) {
            reply.member("name", name)
            reply.member("seq", position.value)
        }

        package var fact: AnswerFact { .feedsChanged }
    }
}
