import Digits

/// The `host` or `host:port` of a `Host` field or an absolute target (RFC 9110 sections 4.2.1 and 7.2).
///
/// - Confinement: any
enum HTTPAuthority {
    /// Whether `bytes` is a host name, an IPv4 address or a bracketed IPv6 address, with or without a port.
    ///
    /// User information (`user@`) is refused, because it can disguise the host (RFC 9110 section 4.2.4), and so is an
    /// empty host, which `http` URLs cannot have.
    static func isValid(_ bytes: ArraySlice<UInt8>) -> Bool {
        let port: ArraySlice<UInt8>
        if bytes.first == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let address = bytes[(bytes.startIndex + 1)..<close]
            guard !address.isEmpty, address.allSatisfy(isAddressByte) else { return false }
            port = bytes[(close + 1)...]
        } else {
            let host = bytes.prefix { $0 != UInt8(ascii: ":") }
            guard !host.isEmpty, host.allSatisfy(isNameByte) else { return false }
            port = bytes[host.endIndex...]
        }
        guard port.first == UInt8(ascii: ":") else { return port.isEmpty }
        guard port.count > 1 else { return true }
        guard let number = HTTPSyntax.decimal(port.dropFirst()) else { return false }
        return number <= 65_535
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        Hexadecimal.value(of: byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    /// Unreserved characters, percent-encodings and most sub-delimiters of RFC 3986; without the comma, since two
    /// joined `Host` lines contain one.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "%"),
            UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
