import ClientProtocol
package import Execution
import Feeds
import JSON
package import Model
import Store

/// `POST /v1/feeds/NAME/run`: everything of a feed is fetched now.
///
/// - Confinement: any
package struct RunFeed: WriteUseCase {
    let name: String
    let isConfigured: Bool
    package let key: WriteKey?

    /// - Parameter configured: the names of the feeds of the configuration.
    package init(name: String, configured: Set<String>, key: WriteKey?) {
        self.name = name
        isConfigured = configured.contains(name)
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("feed.run")
        fingerprint.add(name)
    }

    package func perform(in context: WriteContext) throws -> AnswerWithFact {
        guard try isConfigured || context.transaction.feeds.find(name) != nil else { throw Refusal.feedNotFound(name) }
        return AnswerWithFact(["name": .string(name), "started": true], .feedRun(name))
    }
}
