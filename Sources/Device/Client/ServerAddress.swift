package import Crypto
package import EventLoop
import Model

/// The address of a server, read from a URL: `http://127.0.0.1:8080`, `https://chat.example.org`, `https://example.org/chat`.
///
/// A host name is looked up once, when the URL is read, because a loop must not wait for a name server.
/// - Confinement: any; reading a URL with a host name, or `https`, blocks
package struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address to connect to.
    package let socketAddress: SocketAddress
    /// `host` or `host:port` as in the `Host` field; an IPv6 address has brackets.
    package let authority: String
    /// The path below which a proxy has the server, such as `/chat`; empty for a server at the root.
    package let basePath: String
    /// Nil for `http`.
    package let encryption: ClientEncryption?

    /// Reads a URL of the scheme `http`, `https`, `ws` or `wss`; the default port is 80 or 443. A path is the one below which a
    /// proxy has the server.
    /// - Parameter authorities: A PEM file with the authorities for the server, instead of the system's.
    package init(_ url: String, authorities: String? = nil) throws(ServerAddressError) {
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed(url) }
        let isEncrypted: Bool
        switch url[..<colon].lowercased() {
        case "http", "ws": isEncrypted = false
        case "https", "wss": isEncrypted = true
        default: throw .unknownScheme(url)
        }
        var rest = url[colon...].dropFirst()
        guard rest.hasPrefix("//") else { throw .malformed(url) }
        rest = rest.dropFirst(2)
        let path = rest.drop { $0 != "/" }
        basePath = String(path.hasSuffix("/") ? path.dropLast() : path)
        guard basePath.isEmpty || Self.isPath(basePath) else { throw .malformed(url) }
        rest = rest.prefix { $0 != "/" }
        guard !rest.isEmpty, rest.utf8.allSatisfy(Self.isAuthorityByte) else { throw .malformed(url) }
        let (host, port) = try Self.split(rest, of: url, portDefault: isEncrypted ? 443 : 80)
        socketAddress = try Self.find(host, port)
        authority = String(rest)
        encryption = isEncrypted ? try ClientEncryption(host: host, authorities: authorities) : nil
    }

    /// The server at an address, without TLS.
    package init(_ address: SocketAddress) {
        socketAddress = address
        authority = address.description
        basePath = ""
        encryption = nil
    }

    /// The URL, without a slash at its end.
    package var description: String { (encryption == nil ? "http://" : "https://") + authority + basePath }

    /// The numeric address of a host, the first one in the order of the system's preference.
    private static func find(_ host: String, _ port: UInt16) throws(ServerAddressError) -> SocketAddress {
        let numeric = host.lowercased() == "localhost" ? "127.0.0.1" : host
        if let address = try? SocketAddress(host: numeric, port: port) { return address }
        do {
            let loop = try Loop()
            defer {
                loop.stop()
                loop.run()
            }
            let found = try loop.resolve(host: host, port: port)
            if let first = found.first { return first }
        } catch {
            throw .hostName(host, error)
        }
        throw .hostName(host, nil)
    }

    private static func split(
        _ authority: Substring,
        of url: String,
        portDefault: UInt16
    ) throws(ServerAddressError) -> (host: String, port: UInt16) {
        var host = authority
        var digits: Substring?
        if authority.hasPrefix("[") {
            guard let close = authority.firstIndex(of: "]") else { throw .malformed(url) }
            host = authority[..<close].dropFirst()
            let after = authority[close...].dropFirst()
            if !after.isEmpty {
                guard after.hasPrefix(":") else { throw .malformed(url) }
                digits = after.dropFirst()
            }
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            digits = authority[colon...].dropFirst()
        }
        guard !host.isEmpty else { throw .malformed(url) }
        guard let digits else { return (String(host), portDefault) }
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits), port > 0 else {
            throw .malformed(url)
        }
        return (String(host), port)
    }

    /// Whether a text is a path without a query, as a proxy and a server read it alike: `/a/b`.
    private static func isPath(_ path: String) -> Bool {
        path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().allSatisfy { segment in
            !segment.isEmpty && segment != "." && segment != ".."
                && segment.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._~!$&'()*+,;=:@%".utf8.contains($0) }
        }
    }

    private static func isAuthorityByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || ".-_:[]".utf8.contains(byte)
    }
}

/// Why a text is not the address of a server.
/// - Confinement: any
package enum ServerAddressError: Error, Sendable, Hashable, CustomStringConvertible {
    case malformed(String)
    case unknownScheme(String)
    /// The name could not be looked up.
    case hostName(String, UVError?)
    /// The authorities cannot be read.
    case authorities(TLSContextError)

    /// A sentence for people.
    package var description: String {
        switch self {
        case .malformed(let url):
            "'\(url)' is not a server address; write one such as http://127.0.0.1:8080, or https://example.org/path behind a proxy"
        case .unknownScheme(let url): "'\(url)' begins neither with http:// nor with https://"
        case .hostName(let host, let error):
            "the host '\(host)' is not found" + (error.map { ": \($0.message)" } ?? "")
        case .authorities(let error): "the certificates to trust cannot be read: \(error)"
        }
    }
}
