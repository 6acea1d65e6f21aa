package import Admin
import Authentication
import Compression
package import Configuration
package import Crypto
package import EventLoop
import Model
import Quotas
package import Services
package import Telemetry
package import ThreadMessages

/// The settings of a loop, which are the same for all loops.
///
/// - Confinement: any
package final class LoopSettings: RequestSettings {
    package let configuration: ServerConfiguration
    package let mail: Mailboxes
    /// The facts about the database that loops need when they start.
    package let opened: OpenedDatabase
    /// Says which tokens are accepted at the start, perhaps without keys yet.
    let tokens: TokenCheck
    package let metrics: Metrics
    package let log: ServerLog
    package let storage: StorageHealth
    /// How the node stands among the others.
    package let standing: NodeStanding
    /// Whether there are other nodes.
    package let isMember: Bool
    /// Which paths the sessions of all loops watch.
    let watchedPaths: WatchedPaths
    /// Nil where feeds are not fetched: in a simulation.
    package let feeds: FeedDesk?
    package let names: ServerNames
    /// The server's certificate at the start, and the keys of tickets; nil when it speaks without TLS.
    let encryption: (context: TLSContext, ticketKeys: TLSTicketKeys)?
    let peers: PeerPolicy
    /// The push services that the server uses.
    package let pushOffer: PushOffer
    /// Where the sender of pushes gets the loops' answers; nil in a simulation, which sends none.
    let push: Mailbox<PushMessage>?
    /// Of an application, beside the API; nil when there are none.
    package let pages: (any ServedPages)?
    /// The nodes and their journal; nil on a server that is alone.
    package let cluster: ClusterBoard?
    let claimNumbers: ClaimNumbers
    /// For the compression windows that are kept, of all loops.
    let contextBudget = ContextBudget(bytesMax: CompressionLimits.contextBytesMax)

    var clock: WallClock { configuration.clock }

    package init(
        configuration: ServerConfiguration, mail: Mailboxes, opened: OpenedDatabase, tokens: TokenCheck,
        metrics: Metrics, log: ServerLog, storage: StorageHealth, watchedPaths: WatchedPaths, feeds: FeedDesk?,
        names: ServerNames, encryption: (context: TLSContext, ticketKeys: TLSTicketKeys)?, peers: PeerPolicy,
        pushOffer: PushOffer, push: Mailbox<PushMessage>?, pages: (any ServedPages)?,
        standing: NodeStanding = NodeStanding(), cluster: ClusterBoard? = nil
    ) {
        self.configuration = configuration
        self.mail = mail
        claimNumbers = ClaimNumbers(mail.cluster == nil ? nil : configuration.clock)
        self.opened = opened
        self.tokens = tokens
        self.metrics = metrics
        self.log = log
        self.storage = storage
        self.standing = standing
        isMember = configuration.cluster.isMember
        self.watchedPaths = watchedPaths
        self.feeds = feeds
        self.names = names
        self.encryption = encryption
        self.peers = peers
        self.pushOffer = pushOffer
        self.push = push
        self.pages = pages
        self.cluster = cluster
    }
}

extension LoopSettings {
    /// A peer was turned away by a limit.
    func refused(_ reason: PeerRefusal, _ address: IPAddress) {
        metrics.refused(reason)
        log.debug("refused a peer", ["reason": reason.name, "address": "\(address)"])
    }
}
