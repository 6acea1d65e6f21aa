/// A set of addresses: single ones, and networks in the notation of RFC 4632, for example `10.0.0.0/8`.
///
/// - Confinement: any
package struct AddressRanges: Sendable, Hashable {
    private struct Range: Sendable, Hashable {
        let base: IPAddress
        /// The length of the prefix, of 128 bits.
        let bits: Int

        private var highMask: UInt64 { bits >= 64 ? .max : bits == 0 ? 0 : .max << (64 - bits) }
        private var lowMask: UInt64 { bits >= 128 ? .max : bits <= 64 ? 0 : .max << (128 - bits) }

        /// Whether all bits after the prefix are 0: otherwise the author probably meant another range.
        var isExact: Bool { base.high & ~highMask == 0 && base.low & ~lowMask == 0 }

        func contains(_ address: IPAddress) -> Bool {
            (address.high ^ base.high) & highMask == 0 && (address.low ^ base.low) & lowMask == 0
        }
    }

    /// No address at all.
    package static let none = AddressRanges([] as [Range])

    /// The machine itself.
    package static let loopback = AddressRanges([
        Range(base: IPAddress(v4: 127 << 24), bits: 104), Range(base: IPAddress(high: 0, low: 1), bits: 128),
    ])

    private let ranges: [Range]

    private init(_ ranges: [Range]) { self.ranges = ranges }

    /// - Parameter texts: `ADDRESS` or `ADDRESS/BITS` each; a single `none` means no address at all.
    /// - Returns: nil when a text has another form, or has bits after its prefix.
    package init?(_ texts: [String]) {
        if texts == ["none"] {
            ranges = []
            return
        }
        var ranges: [Range] = []
        for text in texts {
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let base = parts.first.flatMap({ IPAddress($0) }) else { return nil }
            let width = base.isV4 ? 32 : 128
            var bits = width
            if parts.count == 2 {
                guard let number = Int(parts[1]), (0...width).contains(number), String(number) == parts[1] else {
                    return nil
                }
                bits = number
            }
            let range = Range(base: base, bits: 128 - width + bits)
            guard range.isExact else { return nil }
            ranges.append(range)
        }
        self.ranges = ranges
    }

    /// Whether an address is in one of the ranges.
    package func contains(_ address: IPAddress) -> Bool { ranges.contains { $0.contains(address) } }
}

extension AddressRanges: CustomStringConvertible {
    /// The texts that `init` reads, separated by spaces.
    package var description: String {
        guard !ranges.isEmpty else { return "none" }
        return ranges.map { "\($0.base)/\($0.base.isV4 ? $0.bits - 96 : $0.bits)" }.joined(separator: " ")
    }
}
