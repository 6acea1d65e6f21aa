package import Configuration
import Crypto
package import EventLoop
import Model
import Wire

/// The names by which the server knows itself: a page of a stranger can have its own name turned to this machine's
/// address (DNS rebinding) and would then read, as a page of the same origin, whatever needs no token.
///
/// - Confinement: any
package struct ServerNames: Sendable {
    /// The kind of a request's `Host`.
    enum Verdict {
        /// An address, which no name server can turn, or a name of the server.
        case own
        /// Another's name, or no name: nothing is known to hold it against.
        case unknown
        /// Another's name, and the server knows its own.
        case foreign
    }

    private let listed: Set<String>
    /// Whether only this machine reaches the server: then its names are known.
    private let isLocal: Bool

    /// - Parameters:
    ///   - listeners: where it listens.
    ///   - origins: pages that may open sessions; their hosts are names, too.
    package init(listeners: [SocketAddress], origins: AllowedOrigins) {
        listed = origins.hosts
        isLocal = listeners.allSatisfy(\.isLoopback)
    }

    /// - Parameters:
    ///   - authority: of the request; nil where HTTP/1.0 says none.
    ///   - tls: the certificate, which contains names; nil without TLS.
    func verdict(on authority: String?, _ tls: TLSContext?) -> Verdict {
        guard let authority else { return .unknown }
        let host = HostName.of(authority)
        if IPAddress(host) != nil || HostName.isLocal(host) || listed.contains(host) { return .own }
        if let tls { return tls.isMadeOut(to: host) ? .own : .foreign }
        return isLocal || !listed.isEmpty ? .foreign : .unknown
    }
}

extension HTTPCall {
    /// The answer to a request for another's name, where no token is asked for; nil when the name is the server's.
    ///
    /// - Parameter mustBeOwn: whether a name of which nothing is known is another's.
    func misdirection(at door: any RequestDoor, mustBeOwn: Bool = false) -> Problem? {
        let authority = head.authority
        switch door.settings.names.verdict(on: authority, door.tls) {
        case .own: return nil
        case .unknown where !mustBeOwn: return nil
        case .unknown, .foreign: break
        }
        let name = authority.map { "\($0.prefix(200))" } ?? "nothing"
        let detail =
            "this server does not know the name \(name): use an address, localhost or a name of its certificate, or "
            + "start the server with --origin http://NAME"
        return Problem(status: 421, detail: detail, field: "Host")
    }
}
