/// The address of a NATS server: `nats://HOST:PORT` or `tls://HOST:PORT`, if wanted with `USER:PASSWORD@` before the
/// host.
/// - Confinement: any
package struct JournalAddress: Sendable, Hashable, CustomStringConvertible {
    /// As libnats takes it, with the password.
    let url: String
    /// Without brackets.
    package let host: String
    /// 4222 if the text has none.
    package let port: UInt16
    /// Whether the scheme is `tls`.
    let wantsTLS: Bool

    /// Reads an address.
    /// - Throws: ``JournalFailure/malformed(_:)`` with a sentence that does not repeat the password.
    package init(_ text: String) throws(JournalFailure) {
        let parts = text.components(at: "://")
        guard let (scheme, rest) = parts, ["nats", "tls"].contains(scheme) else {
            throw .malformed("an address of the journal begins with nats:// or tls://")
        }
        let place = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest[...]
        let (host, port) = try Self.split(place)
        url = text
        self.host = host
        self.port = port
        wantsTLS = scheme == "tls"
    }

    /// Without user and password.
    package var description: String {
        "\(wantsTLS ? "tls" : "nats")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// `host`, `host:port`, `[::1]` or `[::1]:port`.
    private static func split(_ place: Substring) throws(JournalFailure) -> (String, UInt16) {
        let problem = JournalFailure.malformed("the address of the journal '\(place)' is not HOST:PORT")
        var host = place
        var digits: Substring?
        if place.hasPrefix("[") {
            guard let end = place.lastIndex(of: "]") else { throw problem }
            host = place[place.index(after: place.startIndex)..<end]
            let rest = place[place.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { throw problem }
            if !rest.isEmpty { digits = rest.dropFirst() }
        } else if let colon = place.firstIndex(of: ":") {
            host = place[..<colon]
            digits = place[place.index(after: colon)...]
        }
        let isHost = !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") }
        guard isHost else { throw problem }
        guard let digits else { return (String(host), 4222) }
        guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let port = UInt16(digits), port > 0 else { throw problem }
        return (String(host), port)
    }
}

extension String {
    /// The two parts around the first place of a text.
    fileprivate func components(at separator: String) -> (String, String)? {
        guard let range = firstRange(of: separator) else { return nil }
        return (String(self[..<range.lowerBound]), String(self[range.upperBound...]))
    }
}
