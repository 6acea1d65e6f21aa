/// CRC-32C, the checksum of RFC 3720 (section 12.1, appendix B.4): it finds every flipped bit of an entry.
///
/// - Confinement: any
package enum Checksum {
    /// The polynomial 1EDC6F41, its bits in reverse.
    private static let polynomial: UInt32 = 0x82F6_3B78

    /// Eight tables, one after the other: the remainder of a byte that 0 to 7 other bytes follow.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var remainder = UInt32(byte)
            for _ in 0..<8 { remainder = remainder & 1 == 0 ? remainder >> 1 : remainder >> 1 ^ polynomial }
            tables[byte] = remainder
        }
        for place in 256..<tables.count {
            let before = tables[place - 256]
            tables[place] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    /// The checksum of the first `count` bytes.
    package static func crc32c(_ bytes: [UInt8], count: Int) -> UInt32 {
        let tables = tables.span
        let bytes = bytes.span
        var sum: UInt32 = 0xFFFF_FFFF
        var place = 0
        while place + 8 <= count {
            let low =
                sum
                ^ (UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2]) << 16
                    | UInt32(bytes[place + 3]) << 24)
            sum =
                tables[7 * 256 + Int(low & 0xFF)] ^ tables[6 * 256 + Int(low >> 8 & 0xFF)]
                ^ tables[5 * 256 + Int(low >> 16 & 0xFF)] ^ tables[4 * 256 + Int(low >> 24)]
                ^ tables[3 * 256 + Int(bytes[place + 4])] ^ tables[2 * 256 + Int(bytes[place + 5])]
                ^ tables[256 + Int(bytes[place + 6])] ^ tables[Int(bytes[place + 7])]
            place += 8
        }
        while place < count {
            sum = sum >> 8 ^ tables[Int((sum ^ UInt32(bytes[place])) & 0xFF)]
            place += 1
        }
        return ~sum
    }
}
