import ClientProtocol
package import JSON
package import Model
import Store
import Synchronization

/// `POST /v1/feeds/NAME/run`: everything of a feed is to be asked for now.
///
/// - Confinement: any
package struct RunFeed: WriteUseCase {
    package var feedNews: FeedNews? { isToBegin ? .run(name) : nil }
    package let name: String
    let isConfigured: Bool
    package let key: WriteKey?
    private let performed = Performed()

    /// - Parameter configured: names of the feeds of the configuration.
    package init(name: String, configured: Set<String>, key: WriteKey?) {
        self.name = name
        isConfigured = configured.contains(name)
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("feed.run")
        fingerprint.add(name)
    }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        guard try isConfigured || context.transaction.feeds.find(name) != nil else { throw Refusal.feedNotFound(name) }
        performed.flag.store(true, ordering: .relaxed)
        reply.member("name", name)
        reply.member("started", true)
    }

    /// Whether it was done just now, and not under the same key before.
    package var isToBegin: Bool { performed.flag.load(ordering: .relaxed) }

    /// A use case is a value that the writer is given a copy of: this is what both see.
    ///
    /// - Confinement: any
    private final class Performed: Sendable {
        let flag = Atomic(false)
    }
}
