package import Peers

/// For whom something is done, where many want something at once.
///
/// - Confinement: any
package enum FairLane: Sendable, Hashable {
    /// One user, over all connections.
    case user(ObjectIdentifier)
    /// One connection, of nobody who has an account: an administrator's, or one that only begins.
    case connection(ConnectionAddress)
    /// The server itself.
    case server

    package init(_ account: UserAccount?, _ address: ConnectionAddress?) {
        self =
            if let account { .user(ObjectIdentifier(account)) } else if let address { .connection(address) } else {
                .server
            }
    }
}
