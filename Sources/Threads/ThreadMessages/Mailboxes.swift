package import EventLoop

/// The mailboxes of all threads of a server. They are made before the threads, so that each thread starts with all
/// mailboxes to which it posts.
///
/// - Confinement: any
package struct Mailboxes: Sendable {
    package let writer = Mailbox<WriterMessage>()
    package let readers: [Mailbox<ReaderMessage>]
    package let backups = Mailbox<BackupMessage>()
    /// The mailboxes of the loops, in the order of their numbers.
    package let loops: [Mailbox<LoopMessage>]
    /// Nil in a simulation, which fetches no feeds.
    package let feeds: Mailbox<FeedMessage>?
    /// Nil in a simulation, which sends no webhooks.
    package let webhooks: Mailbox<WebhookMessage>?
    /// Nil in a simulation, which sends no pushes.
    package let push: Mailbox<PushMessage>?
    /// Nil on a server without search.
    package let search: Mailbox<SearchMessage>?
    /// Nil when no foreign issuers are configured.
    package let issuers: Mailbox<IssuerMessage>?

    /// Nil on a node that is alone.
    package let cluster: Mailbox<ClusterMessage>?

    /// - Parameters:
    ///   - reachesOutside: Whether there are threads for feeds, webhooks and pushes.
    ///   - searches: Whether messages are indexed.
    ///   - isMember: Whether there are other nodes, and a journal.
    package init(
        loops: Int, readers: Int, reachesOutside: Bool, hasIssuers: Bool, searches: Bool = false, isMember: Bool = false
    ) {
        search = searches ? Mailbox() : nil
        cluster = isMember ? Mailbox() : nil
        self.loops = (0..<loops).map { _ in Mailbox() }
        self.readers = (0..<readers).map { _ in Mailbox() }
        feeds = reachesOutside ? Mailbox() : nil
        webhooks = reachesOutside ? Mailbox() : nil
        push = reachesOutside ? Mailbox() : nil
        issuers = hasIssuers ? Mailbox() : nil
    }
}
