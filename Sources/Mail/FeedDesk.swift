package import EventLoop
package import Feeds

/// The way to the feeds, of every loop.
///
/// - Confinement: any
package struct FeedDesk: Sendable {
    package let mailbox: Mailbox<FeedMessage>
    package let board: FeedBoard
    /// Those of the configuration, and which of them have a key.
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
