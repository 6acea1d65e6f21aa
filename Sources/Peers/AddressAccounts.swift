package import Model
import Synchronization

/// What one network has on all loops: connections up to a bound, and what those hold whose user is not known.
///
/// - Confinement: any
package final class AddressAccount: Sendable {
    package let share = PeerShare()
    /// Changed under the lock of its table alone.
    fileprivate let connections = Atomic<Int>(0)
}

/// The accounts of all networks that have a connection.
///
/// A place is taken and given back once for each connection, so a lock costs nothing that can be seen, and the bound is
/// exact: loops that told each other by mailbox would all let in whoever comes to all of them at once.
///
/// - Confinement: any
package final class AddressAccounts: Sendable {
    /// Connections that one network may have.
    package let connectionsMax: Int
    /// Only networks that have a connection. Protected by its lock.
    private let accounts = Mutex<[IPAddress: AddressAccount]>([:])

    package init(connectionsMax: Int) { self.connectionsMax = connectionsMax }

    /// Takes a place for one more connection.
    ///
    /// - Returns: the network's account; nil when all places are taken.
    package func take(_ network: IPAddress) -> AddressAccount? {
        accounts.withLock { accounts in
            guard let account = accounts[network] else {
                guard connectionsMax > 0 else { return nil }
                let account = AddressAccount()
                account.connections.store(1, ordering: .relaxed)
                accounts[network] = account
                return account
            }
            guard account.connections.load(ordering: .relaxed) < connectionsMax else { return nil }
            account.connections.add(1, ordering: .relaxed)
            return account
        }
    }

    /// Gives a place back.
    package func give(_ network: IPAddress) {
        accounts.withLock { accounts in
            guard let account = accounts[network] else { return }
            if account.connections.subtract(1, ordering: .relaxed).newValue <= 0 { accounts[network] = nil }
        }
    }
}
