import EventLoop
package import Feeds
package import Services

/// What other threads tell the thread that keeps the feeds.
///
/// - Confinement: any
package enum FeedMessage: Sendable {
    /// A feed was put or deleted.
    case changed
    /// Ask for everything of a feed now.
    case run(String)
    /// Fetch once and tell what would be written.
    case tryOut(FeedDefinition, FeedSecret?, ConnectionAddress)
    /// The writer's answer to a write of this number.
    case written(Int, Outcome)
    case stop
}
