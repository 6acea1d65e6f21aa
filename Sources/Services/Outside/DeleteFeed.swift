package import ClientProtocol
package import JSON
import Model
import Store

/// `DELETE /v1/feeds/NAME`. The documents that it brought stay.
///
/// - Confinement: any
package struct DeleteFeed: WriteUseCase {
    package var feedNews: FeedNews? { .changed }
    let name: String

    /// - Throws: `Refusal` for a feed of the configuration.
    package init(name: String, configured: Set<String>) throws(Refusal) {
        guard !configured.contains(name) else { throw Refusal.feedIsConfigured(name) }
        self.name = name
    }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        guard try context.transaction.feeds.delete(name) else { throw Refusal.feedNotFound(name) }
        try context.transaction.feeds.forget(of: name)
        reply.member("name", name)
        reply.member("seq", try context.transaction.appendSilently().value)
    }
}
