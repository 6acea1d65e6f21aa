package import EventLoop

/// Where a server is reached, read from a URL: `http://127.0.0.1:8080`, port 80 when none is given.
///
/// Host names but `localhost` are refused: looking them up blocks, and a loop must not.
/// - Confinement: any
package struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address to connect to.
    package let socketAddress: SocketAddress
    /// `host` or `host:port` as it stands in the `Host` field; an IPv6 address is in brackets.
    package let authority: String

    /// Reads a URL of the scheme `http` (or `ws`) without a path.
    package init(_ url: String) throws(ServerAddressError) {
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed(url) }
        let scheme = url[..<colon].lowercased()
        guard scheme != "https", scheme != "wss" else { throw .encrypted(url) }
        guard scheme == "http" || scheme == "ws" else { throw .unknownScheme(url) }
        var rest = url[colon...].dropFirst()
        guard rest.hasPrefix("//") else { throw .malformed(url) }
        rest = rest.dropFirst(2)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        guard !rest.isEmpty, rest.utf8.allSatisfy(Self.isAuthorityByte) else { throw .malformed(url) }
        let (host, port) = try Self.split(rest, of: url)
        let numeric = host.lowercased() == "localhost" ? "127.0.0.1" : host
        do {
            socketAddress = try SocketAddress(host: numeric, port: port)
        } catch {
            throw .hostName(host)
        }
        authority = String(rest)
    }

    /// The server at an address.
    package init(_ address: SocketAddress) {
        socketAddress = address
        authority = address.description
    }

    /// The URL, without a slash at its end.
    package var description: String { "http://\(authority)" }

    private static func split(
        _ authority: Substring,
        of url: String
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
        guard let digits else { return (String(host), 80) }
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits), port > 0 else {
            throw .malformed(url)
        }
        return (String(host), port)
    }

    private static func isAuthorityByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39: true
        default: ".-_:[]".utf8.contains(byte)
        }
    }
}

/// Why a text is not the address of a server that can be reached.
/// - Confinement: any
package enum ServerAddressError: Error, Sendable, Hashable, CustomStringConvertible {
    case malformed(String)
    case unknownScheme(String)
    /// `https` and `wss`: this client does not speak TLS yet.
    case encrypted(String)
    case hostName(String)

    /// A sentence for people.
    package var description: String {
        switch self {
        case .malformed(let url): "'\(url)' is no server address; it looks like http://127.0.0.1:8080, without a path"
        case .unknownScheme(let url): "'\(url)' does not begin with http://"
        case .encrypted(let url): "'\(url)': this client does not speak TLS yet; use http:// beside the server"
        case .hostName(let host): "'\(host)' is not a numeric address; host names are not looked up, except localhost"
        }
    }
}
