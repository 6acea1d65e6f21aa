package import Authentication
package import ClientProtocol
package import Configuration
package import Crypto
import Feeds
package import Model
package import Services
package import Telemetry
package import ThreadMessages

/// The part of a loop that HTTP requests may use.
///
/// - Confinement: loop
package protocol RequestDoor: AnyObject {
    associatedtype Settings: RequestSettings
    var settings: Settings { get }
    /// The TLS context of new connections; nil when they do not use TLS.
    var tls: TLSContext? { get }
    /// Whether the server is being stopped.
    var isDraining: Bool { get }
    /// Why no session may begin here; nil when they may.
    var sessionRefusal: Refusal? { get }
    /// Issuers that are trusted, but whose keys are not here yet.
    var keylessIssuers: [String] { get }
    /// The users who are online now.
    var online: OnlineUsers { get }

    /// The claims of a token that is good and was not revoked.
    ///
    /// - Parameters:
    ///   - errands: of nodes, whose tokens are good here.
    ///   - address: of the client, for the log; nil where the token was looked at before.
    /// - Throws: `Refusal` of the class `auth`; of the class `retry` when the issuer's key is not known yet.
    func verify(token: String, openTo errands: Set<NodeErrand>, from address: @autoclosure () -> String?)
        throws(Refusal) -> Claims

    /// The claims of a token whose signature and times are good, whether it was revoked or not; errors as of
    /// ``verify(token:openTo:from:)``.
    func read(token: String) throws(Refusal) -> Claims

    /// Whether a name is that of an erased person: the server's log leaves it out.
    func isErased(_ user: UserID) -> Bool
}

/// The settings of a loop that HTTP requests may use; they are the same for all loops.
///
/// - Confinement: any
package protocol RequestSettings: Sendable {
    var configuration: ServerConfiguration { get }
    var mail: Mailboxes { get }
    /// The facts about the database that loops need when they start.
    var opened: OpenedDatabase { get }
    var metrics: Metrics { get }
    var log: ServerLog { get }
    var storage: StorageHealth { get }
    /// How the node stands among the others.
    var standing: NodeStanding { get }
    /// Whether there are other nodes.
    var isMember: Bool { get }
    /// Nil where feeds are not fetched: in a simulation.
    var feeds: FeedDesk? { get }
    var names: ServerNames { get }
    /// The push services that the server uses.
    var pushOffer: PushOffer { get }
    /// Of an application, beside the API; nil when there are none.
    var pages: (any ServedPages)? { get }
    /// The nodes and their journal; nil on a server that is alone.
    var cluster: ClusterBoard? { get }
}

extension RequestSettings {
    var clock: WallClock { configuration.clock }
}
