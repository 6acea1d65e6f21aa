import Digits

/// An address of the Internet, without a port. It has 128 bits; an IPv4 address is stored as `::ffff:a.b.c.d` (RFC 4291
/// section 2.5.5.2), so that a client has the same address on both kinds of sockets.
///
/// - Confinement: any
package struct IPAddress: Sendable, Hashable {
    /// The bits in the order of the text.
    package let high: UInt64
    package let low: UInt64

    /// An IPv6 address, or an IPv4 one in its IPv6 form.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// An IPv4 address; its first number is the highest byte.
    package init(v4: UInt32) { self.init(high: 0, low: 0xffff << 32 | UInt64(v4)) }

    /// Whether this is an IPv4 address.
    package var isV4: Bool { high == 0 && low >> 32 == 0xffff }

    /// The network that limits count: an IPv4 address itself; for IPv6 the network of 64 bits, since one client has all
    /// of its addresses.
    package var network: IPAddress { isV4 ? self : IPAddress(high: high, low: 0) }

    /// Reads `192.0.2.1` or `2001:db8::1` (RFC 4291 section 2.2), without brackets, zone or port.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8.prefix(Self.textBytesMax + 1))
        guard bytes.count <= Self.textBytesMax else { return nil }
        if bytes.contains(UInt8(ascii: ":")) {
            guard let words = Self.words(bytes[...]) else { return nil }
            self.init(
                high: words[0..<4].reduce(0) { $0 << 16 | UInt64($1) },
                low: words[4..<8].reduce(0) { $0 << 16 | UInt64($1) })
        } else {
            guard let number = Self.dotted(bytes[...]) else { return nil }
            self.init(v4: number)
        }
    }

    /// Six words and a dotted IPv4 address: the longest text.
    private static let textBytesMax = 45

    /// Four decimal numbers without leading zeros, which some programs read as octal.
    private static func dotted(_ bytes: ArraySlice<UInt8>) -> UInt32? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var number: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            var value: UInt32 = 0
            for byte in part {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + UInt32(byte - 0x30)
            }
            guard value <= 255 else { return nil }
            number = number << 8 | value
        }
        return number
    }

    /// The eight words of an IPv6 address.
    private static func words(_ bytes: ArraySlice<UInt8>) -> [UInt16]? {
        let gap = bytes.indices.dropLast().first { bytes[$0] == 0x3a && bytes[$0 + 1] == 0x3a }
        guard let gap else {
            let words = group(bytes)
            return words?.count == 8 ? words : nil
        }
        let before = bytes[..<gap]
        let after = bytes[(gap + 2)...]
        guard let first = before.isEmpty ? [] : group(before, mayEndDotted: false),
            let last = after.isEmpty ? [] : group(after), first.count + last.count <= 7
        else { return nil }
        return first + [UInt16](repeating: 0, count: 8 - first.count - last.count) + last
    }

    /// Words between colons; the last two may be written as an IPv4 address.
    private static func group(_ bytes: ArraySlice<UInt8>, mayEndDotted: Bool = true) -> [UInt16]? {
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var words: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if mayEndDotted, index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let number = dotted(part) else { return nil }
                words += [UInt16(number >> 16), UInt16(number & 0xffff)]
                continue
            }
            guard (1...4).contains(part.count) else { return nil }
            var word: UInt16 = 0
            for byte in part {
                guard let digit = Hexadecimal.value(of: byte) else { return nil }
                word = word << 4 | UInt16(digit)
            }
            words.append(word)
        }
        return words.count <= 8 ? words : nil
    }
}

extension IPAddress: CustomStringConvertible {
    /// The text of RFC 5952, the longest run of zeros shortened.
    package var description: String {
        if isV4 {
            return (0..<4).map { String(low >> (24 - 8 * $0) & 0xff) }.joined(separator: ".")
        }
        let words = (0..<8).map { ($0 < 4 ? high >> (48 - 16 * $0) : low >> (112 - 16 * $0)) & 0xffff }
        var longest = 0..<0
        var start = 0
        for index in 0...8 where index == 8 || words[index] != 0 {
            if index - start > max(longest.count, 1) { longest = start..<index }
            start = index + 1
        }
        func text(_ words: ArraySlice<UInt64>) -> String {
            words.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard !longest.isEmpty else { return text(words[...]) }
        return text(words[..<longest.lowerBound]) + "::" + text(words[longest.upperBound...])
    }
}
