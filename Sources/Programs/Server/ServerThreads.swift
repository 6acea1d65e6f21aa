import EventLoop
internal import Foundation
import Store
import StoreThread
import ThreadMessages

/// The threads of a server, and the order in which they end.
///
/// - Confinement: any
struct ServerThreads: Sendable {
    let writer: Worker<WriterMessage>
    let readers: [Worker<ReaderMessage>]
    let backups: Worker<BackupMessage>
    /// The check of the database, on the backups' thread; a stop ends it.
    let check: DatabaseCheck
    // Nil in a simulation, which has no network outside of itself.
    let feeds: Worker<FeedMessage>?
    let webhooks: Worker<WebhookMessage>?
    let pushes: Worker<PushMessage>?
    let issuers: Worker<IssuerMessage>?
    /// Nil on a server without search, and in the simulation.
    let search: Worker<SearchMessage>?
    let loops: [Worker<LoopMessage>]
    /// Nil on a node that is alone.
    let cluster: Worker<ClusterMessage>?
    /// Signalled by each loop that has ended its connections.
    let drained: DispatchSemaphore

    /// Waits until the loops have ended their connections.
    ///
    /// - Parameter isLate: called for each loop that has not, in time.
    func waitForLoops(until deadline: DispatchTime, isLate: () -> Void) {
        for _ in loops where drained.wait(timeout: deadline) == .timedOut { isLate() }
    }

    /// Ends all threads.
    ///
    /// - Parameter stage: The stage on which the server was started.
    func end(on stage: LoopStage?) {
        issuers?.tell(.stop)
        issuers?.join()
        // The feeds' last write must reach the writer before the writer stops.
        feeds?.tell(.stop)
        feeds?.join()
        webhooks?.tell(.stop)
        webhooks?.join()
        pushes?.tell(.stop)
        pushes?.join()
        search?.tell(.stop)
        search?.join()
        writer.tell(.stop)
        for reader in readers { reader.tell(.stop) }
        check.end()
        backups.tell(.stop)
        stage?.settle()
        backups.join()
        for reader in readers { reader.join() }
        writer.join()
        // After the writer, which may wait for the journal.
        cluster?.tell(.stop)
        for loop in loops { loop.cut() }
        stage?.settle()
        cluster?.join()
        for loop in loops { loop.join() }
    }
}
