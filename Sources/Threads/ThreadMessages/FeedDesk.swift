package import EventLoop
package import Feeds

/// The access of each loop to the feeds.
///
/// - Confinement: any
package struct FeedDesk: Sendable {
    package let mailbox: Mailbox<FeedMessage>
    package let board: FeedBoard
    /// The feeds of the configuration.
    package let configured: [FeedDefinition]
    package let withKey: Set<String>

    package init(mailbox: Mailbox<FeedMessage>, board: FeedBoard, configured: [FeedDefinition], withKey: Set<String>) {
        self.mailbox = mailbox
        self.board = board
        self.configured = configured
        self.withKey = withKey
    }

    package var configuredNames: Set<String> { Set(configured.map(\.name)) }
}
