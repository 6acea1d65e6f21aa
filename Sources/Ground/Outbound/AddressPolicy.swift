package import Model

/// The addresses to which the server may connect for somebody else: the guard against server-side request forgery.
///
/// By default it allows only addresses of the public internet. It checks the address that is about to be connected to,
/// after names were resolved, so that a name with another answer at the second time gains nothing.
/// - Confinement: any
package struct AddressPolicy: Sendable, Hashable {
    /// Ranges that are allowed although they are not public.
    package var allowed: AddressRanges
    /// Whether public addresses are allowed.
    package var admitsPublic: Bool

    /// Allows public addresses, and those of the ranges.
    ///
    /// - Parameter admitsPublic: false to allow only the ranges.
    package init(allowing allowed: AddressRanges = .none, admitsPublic: Bool = true) {
        self.allowed = allowed
        self.admitsPublic = admitsPublic
    }

    /// Whether the server may connect to an address. A mapped one (`::ffff:10.0.0.1`) counts as the IPv4 address in it.
    package func admits(_ address: IPAddress) -> Bool {
        if allowed.contains(address) { return true }
        guard admitsPublic, address.isV4 || AddressPolicy.globalIPv6.contains(address) else { return false }
        return !AddressPolicy.special.contains(address)
    }

    /// All that IANA has assigned as global. Outside of it are loopback (`::1`), unspecified (`::`), translated IPv4
    /// (`64:ff9b::/96`, `64:ff9b:1::/48`), unique local (`fc00::/7`), link local (`fe80::/10`), site local
    /// (`fec0::/10`), multicast (`ff00::/8`), discard (`100::/64`), and future assignments.
    private static let globalIPv6 = ranges("2000::/3")

    /// IANA's special-purpose registries (RFC 6890): addresses that are not globally reachable, and those that contain
    /// an IPv4 address.
    private static let special = ranges(
        // This network, private (RFC 1918), carrier-grade NAT (RFC 6598), loopback, link local with the metadata
        // services of clouds.
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.168.0.0/16",
        // Protocol assignments, documentation, the old 6to4 relays, benchmarks.
        "192.0.0.0/24", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "192.88.99.0/24", "198.18.0.0/15",
        // Multicast; reserved, with broadcast.
        "224.0.0.0/4", "240.0.0.0/4",
        // Teredo and other protocol assignments, documentation, 6to4.
        "2001::/23", "2001:db8::/32", "3fff::/20", "2002::/16"
    )

    private static func ranges(_ texts: String...) -> AddressRanges {
        guard let ranges = AddressRanges(texts) else { preconditionFailure("one of \(texts) is not a range") }
        return ranges
    }
}
