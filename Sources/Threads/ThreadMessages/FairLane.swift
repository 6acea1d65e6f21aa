package import Quotas

/// The owner of a piece of work, where many owners want a turn.
///
/// - Confinement: any
package enum FairLane: Sendable, Hashable {
    /// One user, over all connections.
    case user(ObjectIdentifier)
    /// One connection without an account: an administrator's, or one that is just beginning.
    case connection(ConnectionAddress)
    /// The server itself.
    case server

    package init(_ account: UserAccount?, _ address: ConnectionAddress?) {
        self = account.map { .user(ObjectIdentifier($0)) } ?? address.map { .connection($0) } ?? .server
    }
}
