package import Feeds
package import Services

/// Messages to the thread that keeps the feeds.
///
/// - Confinement: any
package enum FeedMessage: Sendable {
    /// A feed was put or deleted.
    case changed
    /// Ask for all parts of a feed now.
    case run(String)
    /// Fetch once, and report which documents would be written.
    case tryOut(FeedDefinition, FeedSecret?, ConnectionAddress)
    /// The writer's outcome of the write with this number.
    case written(Int, Outcome)
    /// Whether this node fetches the feeds; on a member of a cluster the one that leads does. See
    /// ``Mailboxes/tellDuty(isOn:)``.
    case duty(isOn: Bool)
    case stop
}
