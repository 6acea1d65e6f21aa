package import EventLoop

/// A range of addresses, written `10.0.0.0/8` or `fd00::/8` (RFC 4632, RFC 4291): a range of one family matches
/// addresses of that family alone.
/// - Confinement: any
package struct AddressRange: Sendable, Hashable, CustomStringConvertible {
    private let first: [UInt8]
    private let prefixBits: Int

    /// Reads a range; a single address without a slash is a range of one.
    /// - Returns: nil when it is none, or has bits behind its prefix: somebody meant another one.
    package init?(_ text: String) {
        let sides = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = sides.first, let address = try? SocketAddress(host: String(host), port: 0) else { return nil }
        let bytes = address.hostBytes
        var bits = bytes.count * 8
        if sides.count == 2 {
            guard (1...3).contains(sides[1].utf8.count), sides[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(sides[1]), number <= bits
            else { return nil }
            bits = number
        }
        first = bytes
        prefixBits = bits
        guard AddressRange.masked(bytes, bits) == bytes else { return nil }
    }

    /// Whether an address lies in it.
    package func contains(_ address: SocketAddress) -> Bool {
        let bytes = address.hostBytes
        return bytes.count == first.count && AddressRange.masked(bytes, prefixBits) == first
    }

    /// The text that `init` reads.
    package var description: String {
        "\(SocketAddress(hostBytes: first, port: 0)?.host ?? "")/\(prefixBits)"
    }

    private static func masked(_ bytes: [UInt8], _ bits: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let kept = min(max(bits - index * 8, 0), 8)
            return byte & UInt8(truncatingIfNeeded: 0xff00 >> kept)
        }
    }
}
