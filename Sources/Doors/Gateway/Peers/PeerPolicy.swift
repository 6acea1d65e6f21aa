package import Configuration
import EventLoop
import Model
package import Quotas
package import Synchronization
package import ThreadMessages
import Wire

/// The policy of all loops for the peers that connect: which proxies to trust, how many connections, how much memory.
///
/// - Confinement: any
package final class PeerPolicy: Sendable {
    /// Proxies that are believed about their clients.
    let trustedProxies: AddressRanges
    /// Whether the configuration names them. If not, this machine itself is trusted, and its own programs have no bound.
    private let areProxiesNamed: Bool
    private let hasWarnedOfProxy = Atomic<Bool>(false)
    /// Whether trusted proxies begin each connection with a PROXY header.
    let hasProxyProtocol: Bool
    package let memory: PeerMemory
    let addresses: AddressAccounts
    let users: UserAccounts<UserID>
    /// Of users without a scope of operators.
    let refusals = NotedRefusals()
    /// The sessions that users have on other nodes; nil when there are none.
    package let sessionsElsewhere: SessionsElsewhere?
    /// Of clients without a token, by network.
    let strangers: UserAccounts<IPAddress>
    /// Bytes that one user may write in an hour.
    let writeBytesAnHour: Int
    /// Connections that the process has descriptors for; set when everything else is open.
    package let connectionsMax = Atomic<Int>(.max)

    package init(_ configuration: ServerConfiguration) {
        trustedProxies = configuration.trustedProxies
        areProxiesNamed = configuration.trustedProxies != .loopback
        hasProxyProtocol = configuration.hasProxyProtocol
        memory = PeerMemory(bytesMax: configuration.peerMemoryBytes)
        addresses = AddressAccounts(connectionsMax: configuration.connectionsPerAddress)
        users = UserAccounts(sessionsMax: configuration.connectionsPerUser)
        sessionsElsewhere = configuration.cluster.isMember ? SessionsElsewhere() : nil
        strangers = UserAccounts(sessionsMax: configuration.connectionsPerAddress)
        writeBytesAnHour = configuration.writeBytesAnHour
    }

    /// How many sessions a user has on other nodes, as far as this one has heard.
    func sessions(elsewhereOf user: UserID) -> Int { sessionsElsewhere?.count(of: user) ?? 0 }

    /// Whether a request of a trusted address is a program's of this machine, rather than one that a proxy passed on
    /// without naming its client: no proxy is configured, and nothing in the request mentions one.
    func isOfThisMachine(_ head: HTTPRequestHead) -> Bool { !areProxiesNamed && Self.namesThisMachine(head) }

    /// Whether a request asks for no public name, and bears no field of a proxy.
    static func namesThisMachine(_ head: HTTPRequestHead) -> Bool {
        guard head.authority.map({ !HostName.isPublic(HostName.of($0)) }) ?? true else { return false }
        return !head.headers.fields.contains { field in
            // Most fields begin otherwise, and are not made small.
            guard let first = field.name.utf8.first, "vVfFxX".utf8.contains(first) else { return false }
            let name = field.name.lowercased()
            return ["via", "forwarded", "x-real-ip"].contains(name) || name.hasPrefix("x-forwarded-")
        }
    }

    /// A trusted proxy has passed on a request without naming its client.
    ///
    /// - Returns: whether that is the first time, which is worth a warning.
    func isFirstUnnamed() -> Bool { !hasWarnedOfProxy.exchange(true, ordering: .relaxed) }
}

extension IPAddress {
    /// The address of a socket.
    init(_ address: SocketAddress) {
        let words = address.words
        if address.isIPv6 {
            self.init(high: words.high, low: words.low)
        } else {
            self.init(v4: UInt32(truncatingIfNeeded: words.low))
        }
    }
}
