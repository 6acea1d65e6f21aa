import EventLoop
import Model
import Synchronization
import Wire

/// What all loops go by when peers connect and while they are served: whom to trust, how many, how much.
///
/// - Confinement: any
final class PeerPolicy: Sendable {
    /// Proxies whose word about their clients is taken.
    let trustedProxies: AddressRanges
    /// Whether somebody named them. Nobody did where this machine itself is trusted, whose own programs have no bound.
    private let areProxiesNamed: Bool
    private let hasWarnedOfProxy = Atomic<Bool>(false)
    /// Whether trusted proxies begin each connection with a PROXY header.
    let hasProxyProtocol: Bool
    let memory: PeerMemory
    let addresses: AddressAccounts
    let users: UserAccounts
    /// Bytes that one user may write in an hour.
    let writeBytesAnHour: Int
    /// Connections that the process has descriptors for; set when everything else is open.
    let connectionsMax = Atomic<Int>(.max)

    init(_ configuration: ServerConfiguration) {
        trustedProxies = configuration.trustedProxies
        areProxiesNamed = configuration.trustedProxies != .loopback
        hasProxyProtocol = configuration.hasProxyProtocol
        memory = PeerMemory(bytesMax: configuration.peerMemoryBytes)
        addresses = AddressAccounts(connectionsMax: configuration.connectionsPerAddress)
        users = UserAccounts(sessionsMax: configuration.connectionsPerUser)
        writeBytesAnHour = configuration.writeBytesAnHour
    }

    /// Whether a request of a trusted address is a program's of this machine, rather than one that a proxy passed on
    /// without saying for whom: nobody named a proxy, and nothing in the request tells of one.
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

    /// A trusted proxy has passed on a request without saying for whom.
    ///
    /// - Returns: whether that is the first time, which is worth a warning.
    func isFirstUnnamed() -> Bool { !hasWarnedOfProxy.exchange(true, ordering: .relaxed) }
}

/// Why a connection, or what it asked, was turned away by a limit; for metrics.
///
/// - Confinement: any
enum PeerRefusal: Int, CaseIterable {
    /// Its address has too many connections.
    case address
    /// Its user has too many sessions.
    case user
    /// The process has no descriptors for more.
    case descriptors
    /// Too much is held for peers already.
    case memory
    /// No valid PROXY header came first.
    case proxyHeader
    /// It sent too much too fast.
    case flooding
    /// Its user causes too much work.
    case pace
    /// Its user has written too much.
    case written
    /// The writes that wait for the writer take too long already.
    case waitingWork

    var name: String {
        switch self {
        case .address: "address"
        case .user: "user"
        case .descriptors: "descriptors"
        case .memory: "memory"
        case .proxyHeader: "proxy_header"
        case .flooding: "flooding"
        case .pace: "pace"
        case .written: "written"
        case .waitingWork: "waiting_work"
        }
    }

    var help: String {
        switch self {
        case .address: "Connections and requests refused because their address had too many connections."
        case .user: "Sessions refused because their user had too many."
        case .descriptors: "Connections refused because the process has no descriptors for more."
        case .memory: "Requests and sessions ended because too much was held for peers."
        case .proxyHeader: "Connections of proxies that did not begin with a PROXY header."
        case .flooding: "Sessions ended because they sent too much too fast, or too many failing hellos."
        case .pace: "Commands refused because their user, over all connections, caused too much work."
        case .written: "Writes refused because their user had written too much in the hour."
        case .waitingWork: "Writes refused because those that waited for the writer would take it too long already."
        }
    }
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
