package import Model
import Synchronization

/// The account of one network on all loops: its connections, which are bounded, and the bytes held for those whose user
/// is not known.
///
/// - Confinement: any
package final class AddressAccount: Sendable {
    package let share = PeerShare()
    /// Changed only under the lock of its table.
    fileprivate let connections = Atomic<Int>(0)
}

/// The accounts of all networks that have a connection.
///
/// A connection takes a place once and gives it back once, so the cost of the lock cannot be measured. The lock makes
/// the bound exact: loops that informed each other by mailbox would let in too many connections that arrive at once on
/// all of them.
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
    /// - Returns: The network's account; nil when all places are taken.
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
