package import ClientProtocol
package import Execution
import Feeds
import JSON
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

    package func perform(in context: WriteContext) throws -> AnswerWithFact {
        guard try context.transaction.feeds.delete(name) else { throw Refusal.feedNotFound(name) }
        try context.transaction.feeds.forget(of: name)
        let position = try context.transaction.appendSilently()
        return AnswerWithFact(["name": .string(name), "seq": .integer(position.value)], .feedsChanged)
    }
}
