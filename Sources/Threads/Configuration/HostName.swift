import Model

/// The host of an authority, `host[:port]`.
///
/// - Confinement: any
package enum HostName {
    /// In small letters, without port, brackets and the dot of an absolute name.
    package static func of(_ authority: some StringProtocol) -> String {
        var host = authority.lowercased()
        if host.hasPrefix("["), let close = host.firstIndex(of: "]") {
            return String(host[host.index(after: host.startIndex)..<close])
        }
        if let colon = host.firstIndex(of: ":") { host = String(host[..<colon]) }
        return host.hasSuffix(".") ? String(host.dropLast()) : host
    }

    /// Whether others may know it: an address of another machine, or a name of several parts.
    package static func isPublic(_ host: String) -> Bool {
        !isLocal(host) && (host.contains(".") || host.contains(":"))
    }

    /// Whether it means the machine itself (RFC 6761, section 6.3).
    package static func isLocal(_ host: String) -> Bool {
        if let address = IPAddress(host) { return AddressRanges.loopback.contains(address) }
        return host == "localhost" || host.hasSuffix(".localhost")
    }
}
