import Model

/// Which pages may open sessions from a browser, by the `Origin` that it sends (RFC 6454, RFC 6455 section 10.2).
///
/// Pages of this server always may, and so may clients that send no `Origin`: browsers always send one.
///
/// - Confinement: any
package struct AllowedOrigins: Sendable, Hashable {
    /// Every page.
    package static let any = "*"

    /// In small letters, and without the ports that browsers leave out.
    private let listed: Set<String>

    /// The pages of this server alone.
    package init() { listed = [] }

    /// - Parameter texts: `SCHEME://HOST[:PORT]` each, or ``any``.
    /// - Returns: nil when a text has not this form.
    package init?(_ texts: [String]) {
        for text in texts where text != Self.any {
            guard let authority = Self.authority(of: text), !authority.isEmpty,
                authority.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !Self.forbidden.contains($0) })
            else { return nil }
        }
        listed = Set(texts.map { Self.usual($0) })
    }

    /// Whether a request with these header fields is let in.
    ///
    /// Behind a proxy the server does not know its own scheme and compares host and port alone. Where the server speaks TLS
    /// itself, it refuses pages of `http`: anybody on the way can have written them.
    ///
    /// - Parameters:
    ///   - origins: values of all `Origin` fields.
    ///   - authority: `host[:port]` that the request is for.
    ///   - isEncrypted: whether the request came over the server's own TLS.
    package func admit(_ origins: [String], to authority: String?, isEncrypted: Bool = false) -> Bool {
        guard let origin = origins.first.map(Self.usual) else { return true }
        guard origins.count == 1 else { return false }
        if listed.contains(Self.any) || listed.contains(origin) { return true }
        guard let authority, let own = Self.authority(of: origin) else { return false }
        guard !isEncrypted || origin.hasPrefix("https:") else { return false }
        let scheme = origin.prefix { $0 != ":" }
        return own == Self.withoutDefaultPort(authority.lowercased(), scheme)
    }

    /// Whether no other pages are listed.
    package var isEmpty: Bool { listed.isEmpty }

    /// The value of `Access-Control-Allow-Origin` for a request with these `Origin` fields; nil where the origin is not
    /// listed.
    package func shared(with origins: [String]) -> String? {
        guard origins.count == 1, let origin = origins.first else { return nil }
        if listed.contains(Self.usual(origin)) { return origin }
        return listed.contains(Self.any) ? Self.any : nil
    }

    /// The hosts of the listed pages, without their ports.
    package var hosts: Set<String> {
        Set(listed.compactMap { Self.authority(of: $0).map { HostName.of($0) } })
    }

    /// The origin as browsers send it: in small letters, without the default port of its scheme (RFC 6454, section 6.2). Proxies
    /// and people write the port as well.
    private static func usual(_ origin: String) -> String {
        let origin = origin.lowercased()
        return withoutDefaultPort(origin, origin.prefix { $0 != ":" })
    }

    private static func withoutDefaultPort(_ text: String, _ scheme: Substring) -> String {
        let port: String? =
            switch scheme {
            case "https", "wss": ":443"
            case "http", "ws": ":80"
            default: nil
            }
        guard let port, text.hasSuffix(port) else { return text }
        return String(text.dropLast(port.count))
    }

    /// Host and port, which stand after the scheme; nil when there is no scheme.
    private static func authority(of origin: String) -> String? {
        let sides = origin.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, !sides[0].isEmpty, sides[0].utf8.allSatisfy(isSchemeByte), sides[1].hasPrefix("//")
        else { return nil }
        return String(sides[1].dropFirst(2))
    }

    /// RFC 3986 section 3.1.
    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "+-.".utf8.contains(byte)
    }

    /// Bytes that stand in a pasted address and never in an origin.
    private static let forbidden = "/?#@*".utf8
}
