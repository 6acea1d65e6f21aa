import EventLoop
import Model
import TLS

/// The host of an authority, `host[:port]`.
///
/// - Confinement: any
enum HostName {
    /// In small letters, without port, brackets and the dot of an absolute name.
    static func of(_ authority: some StringProtocol) -> String {
        var host = authority.lowercased()
        if host.hasPrefix("["), let close = host.firstIndex(of: "]") {
            return String(host[host.index(after: host.startIndex)..<close])
        }
        if let colon = host.firstIndex(of: ":") { host = String(host[..<colon]) }
        return host.hasSuffix(".") ? String(host.dropLast()) : host
    }

    /// Whether it may be looked up by anybody: an address of other machines, or a name of several parts.
    static func isPublic(_ host: String) -> Bool { !isLocal(host) && (host.contains(".") || host.contains(":")) }

    /// Whether it means the machine itself (RFC 6761, section 6.3).
    static func isLocal(_ host: String) -> Bool {
        if let address = IPAddress(host) { return AddressRanges.loopback.contains(address) }
        return host == "localhost" || host.hasSuffix(".localhost")
    }
}

/// The names by which the server knows itself: a page of a stranger can have its own name turned to this machine's
/// address (DNS rebinding) and would then read, as a page of the same origin, whatever needs no token.
///
/// - Confinement: any
struct ServerNames: Sendable {
    /// What a request's `Host` says of it.
    enum Verdict {
        /// An address, which no name server can turn, or a name of the server.
        case own
        /// Another's name, or no name: nothing is known to hold it against.
        case unknown
        /// Another's name, and the server knows its own.
        case foreign
    }

    private let listed: Set<String>
    /// Whether only this machine reaches the server, whose names are known then.
    private let isLocal: Bool

    /// - Parameters:
    ///   - listeners: where it listens.
    ///   - origins: pages that may open sessions; their hosts are names, too.
    init(listeners: [SocketAddress], origins: AllowedOrigins) {
        listed = origins.hosts
        isLocal = listeners.allSatisfy(\.isLoopback)
    }

    /// - Parameters:
    ///   - authority: of the request; nil where HTTP/1.0 says none.
    ///   - tls: whose certificate bears names; nil without TLS.
    func verdict(on authority: String?, _ tls: TLSContext?) -> Verdict {
        guard let authority else { return .unknown }
        let host = HostName.of(authority)
        if IPAddress(host) != nil || HostName.isLocal(host) || listed.contains(host) { return .own }
        if let tls { return tls.isMadeOut(to: host) ? .own : .foreign }
        return isLocal || !listed.isEmpty ? .foreign : .unknown
    }
}
