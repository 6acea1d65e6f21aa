/// An http or https address with its host and port (RFC 3986), without user information and fragment.
///
/// - Confinement: any
package struct WebAddress: Sendable, Hashable {
    /// As it was given.
    package let text: String
    /// Whether it is https.
    package let isEncrypted: Bool
    /// In small letters; an IPv6 address in brackets.
    package let host: String
    /// The port that the address names.
    package let port: UInt16?

    /// Nil for another scheme, without a host, with user information or a fragment, and with a character that has to be
    /// percent-encoded.
    package init?(_ text: String) {
        let lowered = text.lowercased()
        guard let scheme = ["https://", "http://"].first(where: { lowered.hasPrefix($0) }),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !Self.forbidden.contains($0) })
        else { return nil }
        let authority = lowered.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
        guard let host = Self.host(of: authority) else { return nil }
        let rest = authority[host.endIndex...]
        if rest.isEmpty {
            port = nil
        } else {
            let digits = rest.dropFirst()
            guard rest.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = UInt16(digits),
                number > 0
            else { return nil }
            port = number
        }
        self.text = text
        isEncrypted = scheme == "https://"
        self.host = String(host)
    }

    /// Scheme, host and the port unless it is the usual one (RFC 6454, section 6.2): `https://push.example.org:8443`.
    package var origin: String {
        let usual: UInt16 = isEncrypted ? 443 : 80
        let suffix = port.flatMap { $0 == usual ? nil : ":\($0)" } ?? ""
        return (isEncrypted ? "https://" : "http://") + host + suffix
    }

    /// Whether a secret may be sent to it: https, or this machine, where nobody is on the way.
    package var isFitForSecrets: Bool {
        if isEncrypted || host == "localhost" { return true }
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        return IPAddress(name).map(AddressRanges.loopback.contains) ?? false
    }

    private static let forbidden = Array("\"<>\\^`{|}#".utf8)

    private static func host(of authority: Substring) -> Substring? {
        guard authority.first == "[" else {
            let host = authority.prefix { $0 != ":" }
            let isName = host.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._".utf8.contains($0) }
            return isName && !host.isEmpty ? host : nil
        }
        guard let end = authority.firstIndex(of: "]") else { return nil }
        let inside = authority[..<end].dropFirst()
        let isNumber = inside.contains(":") && inside.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        return isNumber ? authority[...end] : nil
    }
}
