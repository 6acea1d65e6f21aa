package import EventLoop

/// The mailboxes of all threads of a server. They are made before the threads, so that each thread is given all those to
/// which it posts when it starts.
///
/// - Confinement: any
package struct Mailboxes: Sendable {
    package let writer = Mailbox<WriterMessage>()
    package let readers: [Mailbox<ReaderMessage>]
    package let backups = Mailbox<BackupMessage>()
    /// Those of the loops, in the order of their numbers.
    package let loops: [Mailbox<LoopMessage>]
    /// Nil where feeds are not fetched: in a simulation.
    package let feeds: Mailbox<FeedMessage>?
    /// Nil where webhooks are not sent: in a simulation.
    package let webhooks: Mailbox<WebhookMessage>?
    /// Nil where there are no foreign issuers.
    package let issuers: Mailbox<IssuerMessage>?

    /// - Parameter reachesOutside: whether there are threads for feeds and webhooks.
    package init(loops: Int, readers: Int, reachesOutside: Bool, hasIssuers: Bool) {
        self.loops = (0..<loops).map { _ in Mailbox() }
        self.readers = (0..<readers).map { _ in Mailbox() }
        feeds = reachesOutside ? Mailbox() : nil
        webhooks = reachesOutside ? Mailbox() : nil
        issuers = hasIssuers ? Mailbox() : nil
    }
}
