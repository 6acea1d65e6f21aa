/// The journal that this node shares with others, and the place of the node among them.
///
/// - Confinement: any
package struct ClusterConfiguration: Sendable, Hashable {
    /// Addresses of the journal's servers, `nats://HOST:PORT`; empty on a node that is alone.
    package var journal: [String] = []
    /// The name of the application in the journal: its stream is `WW-NAME`.
    package var application = "watchwise"
    /// Path of a credentials file of NATS; nil to log in without.
    package var credentials: String?
    /// PEM file with the certificates to trust for the journal's servers; with it TLS is always used.
    package var authorities: String?
    /// The node's name; nil for the host's, see ``nodeName()``.
    package var node: String?
    /// The URL at which other nodes reach this one, for copies of its database; nil when it gives none.
    package var address: String?
    /// Whether the node may lead; one that may not only serves sessions.
    package var mayLead = true
    /// A node that lags the journal by more than this takes no new sessions.
    package var lagReadyMilliseconds: Int64 = 5000
    /// A node that lags by more than this ends its sessions, so that they go to others.
    package var lagCloseMilliseconds: Int64 = 15_000
    /// URLs of the monitoring ports of the journal's servers, for `cluster check` and `cluster status`.
    package var monitors: [String] = []

    /// URLs of nodes from which a database may be fetched, besides those that are heard; for tests.
    package var joinFrom: [String] = []

    package init() {}

    /// Whether it is a node of a cluster, which shares a journal: leading, its writer gives its commits to the others; following,
    /// it repeats those of another.
    package var isMember: Bool { !journal.isEmpty }
}
