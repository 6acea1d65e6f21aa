import Authentication
import Compression
import EventLoop
import Model
import Services
import TLS

/// What every loop is given: the same for all of them.
///
/// - Confinement: any
struct LoopSettings: Sendable {
    /// Whose tokens are accepted at the start, perhaps without keys yet, and who gets the keys.
    let tokens: TokenCheck
    let issuerKeeper: Mailbox<IssuerKeeper.Message>?
    /// Those in force at the start.
    let revocations: Revocations
    let epoch: Epoch
    let collections: TopicCollections
    let clock: WallClock
    let metrics: Metrics
    let log: ServerLog
    let storage: StorageHealth
    let claimNumbers: ClaimNumbers
    /// Which paths the sessions of all loops watch.
    let watchedPaths: WatchedPaths
    let writer: Mailbox<WriterThread.Message>
    let readers: [Mailbox<ReaderThread.Message>]
    let backups: Mailbox<BackupThread.Message>
    /// Nil where feeds are not fetched: in a simulation.
    let feeds: FeedDesk?
    let heartbeatMilliseconds: Int64
    /// The longest that a stop waits for writes that were begun.
    let stopMilliseconds: Int64
    let helloMilliseconds: Int64
    let requestMilliseconds: Int64
    let startBounds: StartBounds
    let hasEcho: Bool
    let origins: AllowedOrigins
    let names: ServerNames
    /// The server's certificate at the start, and the keys of tickets; nil when it speaks without TLS.
    let encryption: (context: TLSContext, ticketKeys: TLSTicketKeys)?
    let compression: CompressionMode
    let peers: PeerPolicy
    /// For the windows that are kept, of all loops.
    let contextBudget: ContextBudget
    /// Nil unless this server plays the demo.
    let demo: DemoStage?
    /// Name and version, as `hello` and `stats` tell it.
    let serverName: String
}
