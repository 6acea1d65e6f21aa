import EventLoop
import Feeds
import Model
import Outbound
import Store

extension Application {
    /// Starts the thread that fetches the feeds; also when there are none yet, since they may be put at any time.
    static func startFeeds(
        _ directory: DataDirectory, _ writer: Mailbox<WriterThread.Message>, _ board: FeedBoard,
        _ configuration: ServerConfiguration, _ metrics: Metrics, _ log: ServerLog
    ) throws -> (thread: LoopThread, mailbox: Mailbox<FeedKeeper.Message>) {
        let (thread, mailbox) = try LoopThread.start(named: "feeds") { loop in
            let client: OutboundClient
            do {
                client = try OutboundClient(
                    on: loop, policy: AddressPolicy(allowing: configuration.outboundAllow),
                    authorities: configuration.outboundAuthorities)
            } catch {
                throw StartProblem(isConfiguration: false, "no way out for feeds: \(error)")
            }
            let keeper = FeedKeeper(
                configuration.feeds, reader: try Storage.openReader(directory), client: client, on: loop,
                board: board, writer: writer, clock: configuration.clock, metrics: metrics, log: log)
            return try Mailbox<FeedKeeper.Message>(on: loop) { messages in
                if keeper.receive(messages) { loop.stop() }
            }
        }
        return (thread, mailbox)
    }

    /// What the loops are given of the feeds.
    static func desk(
        _ keeper: Mailbox<FeedKeeper.Message>, _ board: FeedBoard, _ configuration: ServerConfiguration
    ) -> FeedDesk {
        FeedDesk(
            keeper: keeper, board: board, configured: configuration.feeds.map(\.definition),
            withKey: Set(configuration.feeds.filter { $0.key != nil }.map(\.definition.name)))
    }
}
