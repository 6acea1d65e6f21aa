/// Which pages may open sessions from a browser, by the `Origin` that it sends (RFC 6454, RFC 6455 section 10.2).
///
/// A page of this server always may, and so may who sends no `Origin`, which browsers never leave out.
///
/// - Confinement: any
package struct AllowedOrigins: Sendable, Hashable {
    /// Any page of anybody's.
    package static let any = "*"

    /// In small letters.
    private let listed: Set<String>

    /// The pages of this server alone.
    package init() { listed = [] }

    /// - Parameter texts: `SCHEME://HOST[:PORT]` each, or ``any``.
    /// - Returns: nil when one is not of the form.
    package init?(_ texts: [String]) {
        for text in texts where text != Self.any {
            guard let authority = Self.authority(of: text), !authority.isEmpty,
                authority.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !Self.isForbidden($0) })
            else { return nil }
        }
        listed = Set(texts.map { $0.lowercased() })
    }

    /// Whether a request with these header fields is let in.
    ///
    /// Behind a proxy the server does not know its scheme, and only host and port are held against its own. Where it speaks
    /// TLS itself, a page of `http` is another's: whoever sits on the way can have written it.
    ///
    /// - Parameters:
    ///   - origins: values of all `Origin` fields.
    ///   - authority: `host[:port]` that the request is for.
    ///   - isEncrypted: whether the request came over the server's own TLS.
    package func admit(_ origins: [String], to authority: String?, isEncrypted: Bool = false) -> Bool {
        guard let origin = origins.first?.lowercased() else { return true }
        guard origins.count == 1 else { return false }
        if listed.contains(Self.any) || listed.contains(origin) { return true }
        guard let authority, let own = Self.authority(of: origin) else { return false }
        guard !isEncrypted || origin.hasPrefix("https:") else { return false }
        return own == authority.lowercased()
    }

    /// Whether no page is listed but the server's own.
    package var isEmpty: Bool { listed.isEmpty }

    /// The origin that is told to be allowed to a request with these `Origin` fields (`Access-Control-Allow-Origin`); nil
    /// where it is not listed.
    package func shared(with origins: [String]) -> String? {
        guard origins.count == 1, let origin = origins.first else { return nil }
        if listed.contains(origin.lowercased()) { return origin }
        return listed.contains(Self.any) ? Self.any : nil
    }

    /// The hosts of the pages that are listed, without their ports.
    package var hosts: Set<String> {
        Set(listed.compactMap { Self.authority(of: $0).map { HostName.of($0) } })
    }

    /// What follows the scheme; nil when there is none.
    private static func authority(of origin: String) -> String? {
        let sides = origin.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, !sides[0].isEmpty, sides[0].utf8.allSatisfy(isSchemeByte), sides[1].hasPrefix("//")
        else { return nil }
        return String(sides[1].dropFirst(2))
    }

    /// RFC 3986 section 3.1.
    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39,
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// What an origin does not have, but an address that somebody pasted does.
    private static func isForbidden(_ byte: UInt8) -> Bool {
        [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "*")].contains(byte)
    }
}
