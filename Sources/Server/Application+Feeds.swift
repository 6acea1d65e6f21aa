import EventLoop
import Feeds
import Model
import Outbound
import Store

extension Application {
    /// Starts the thread that fetches the feeds; also when there are none yet, since they may be put at any time.
    ///
    /// - Returns: nil on a stage: a simulation has no outside.
    static func startFeeds(
        _ directory: DataDirectory, _ writer: Mailbox<WriterThread.Message>, _ configuration: ServerConfiguration,
        _ metrics: Metrics, _ log: ServerLog, _ stage: LoopStage?
    ) throws -> (thread: LoopThread, desk: FeedDesk)? {
        guard stage == nil else { return nil }
        let board = FeedBoard()
        let (thread, mailbox) = try LoopThread.start(named: "feeds") { loop in
            // Before the client, which must be closed once it is there.
            let reader: Reader
            do {
                reader = try Storage.openReader(directory)
            } catch {
                throw StartProblem(isConfiguration: false, "the feeds in the database cannot be read: \(error)")
            }
            let client: OutboundClient
            do {
                client = try OutboundClient(
                    on: loop, policy: AddressPolicy(allowing: configuration.outboundAllow),
                    authorities: configuration.outboundAuthorities)
            } catch {
                throw StartProblem(isConfiguration: false, "no way out for feeds: \(error)")
            }
            let keeper = FeedKeeper(
                configuration.feeds, reader: reader, client: client, on: loop, board: board, writer: writer,
                clock: configuration.clock, metrics: metrics, log: log)
            return try Mailbox<FeedKeeper.Message>(on: loop) { messages in
                if keeper.receive(messages) { loop.stop() }
            }
        }
        let desk = FeedDesk(
            keeper: mailbox, board: board, configured: configuration.feeds.map(\.definition),
            withKey: Set(configuration.feeds.filter { $0.key != nil }.map(\.definition.name)))
        return (thread, desk)
    }

    /// Tells the feeds' thread of the loops, and the writer of it.
    static func introduce(
        _ loops: [Mailbox<LoopMessage>], to feeds: FeedDesk?, _ writer: Mailbox<WriterThread.Message>
    ) {
        guard let feeds else { return }
        writer.post(.feeds(feeds.keeper))
        feeds.keeper.post(.loops(loops))
    }
}
