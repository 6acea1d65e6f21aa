package import Model

/// The header of the PROXY protocol, versions 1 and 2 (haproxy.org/download/2.9/doc/proxy-protocol.txt): before the
/// first byte of a connection, a proxy names the client.
///
/// - Confinement: any
package enum ProxyHeader: Sendable, Hashable {
    /// The client, as the proxy saw it.
    case client(IPAddress)
    /// The proxy speaks for itself (`LOCAL`, a health check) or does not know the client: the connection's own peer
    /// counts.
    case none
}

/// Reads the one header of a connection: bytes in, the header out. The following bytes belong to the next reader.
///
/// - Confinement: any
package struct ProxyHeaderReader: Sendable {
    /// The header is not valid; the connection is closed without an answer, since no protocol is spoken yet.
    package struct Violation: Error, Sendable, Hashable {
        /// For the log.
        package let reason: String
    }

    /// `PROXY UNKNOWN` with two of the longest addresses and ports, and CR LF (section 2.1).
    private static let lineBytesMax = 107
    /// Bytes after version 2's fixed part; addresses take 36 of them, and the rest are extensions, which are skipped.
    /// The format allows 65,535; load balancers send up to a few hundred.
    private static let bodyBytesMax = 2048
    private static let signature: [UInt8] = [
        0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a,
    ]
    private static let word = Array("PROXY ".utf8)

    private var held: [UInt8] = []

    /// A reader for a new connection.
    package init() {}

    /// Bytes kept until the header is complete.
    package var heldBytes: Int { held.count }

    /// Takes bytes from `offset` on, which moves past them.
    ///
    /// - Returns: the header when it is complete, else nil; after that the reader must not be used again.
    /// - Throws: at the first byte that is not allowed in a header.
    package mutating func next(_ bytes: RawSpan, at offset: inout Int) throws(Violation) -> ProxyHeader? {
        while offset < bytes.byteCount {
            held.append(bytes.byte(at: offset))
            offset += 1
            if let header = try held.first == Self.signature[0] ? binary() : line() { return header }
        }
        return nil
    }

    // MARK: Version 1

    private func line() throws(Violation) -> ProxyHeader? {
        guard held.prefix(Self.word.count).elementsEqual(Self.word.prefix(held.count)) else {
            throw Violation(reason: "no PROXY header")
        }
        guard held.last == 0x0a else {
            guard held.count < Self.lineBytesMax else { throw Violation(reason: "the PROXY line is too long") }
            return nil
        }
        guard held.count >= 2, held[held.count - 2] == 0x0d else {
            throw Violation(reason: "the PROXY line does not end with CR LF")
        }
        let words = held.dropLast(2).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count >= 2 else { throw Violation(reason: "the PROXY line names no protocol") }
        if words[1] == "UNKNOWN" { return ProxyHeader.none }
        guard words.count == 6, words[1] == "TCP4" || words[1] == "TCP6", let source = IPAddress(words[2]),
            let destination = IPAddress(words[3]), Self.isWritten(source, words[2], in: words[1]),
            Self.isWritten(destination, words[3], in: words[1]), Self.isPort(words[4]), Self.isPort(words[5])
        else { throw Violation(reason: "the PROXY line cannot be read") }
        return .client(source)
    }

    /// Whether an address has the form of the line's protocol.
    private static func isWritten(_ address: IPAddress, _ text: String, in family: String) -> Bool {
        text.utf8.contains(UInt8(ascii: ":")) == (family == "TCP6")
    }

    private static func isPort(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt16(text) != nil
            && (text == "0" || text.utf8.first != UInt8(ascii: "0"))
    }

    // MARK: Version 2

    private func binary() throws(Violation) -> ProxyHeader? {
        guard held.prefix(12).elementsEqual(Self.signature.prefix(held.count)) else {
            throw Violation(reason: "no PROXY header")
        }
        if held.count >= 13, held[12] >> 4 != 2 || held[12] & 0xf > 1 {
            throw Violation(reason: "an unknown version or command of the PROXY protocol")
        }
        guard held.count >= 16 else { return nil }
        let count = Int(held[14]) << 8 | Int(held[15])
        guard count <= Self.bodyBytesMax else { throw Violation(reason: "the PROXY header is too long") }
        guard held.count == 16 + count else { return nil }
        // LOCAL: the rest is skipped (section 2.2).
        guard held[12] & 0xf == 1 else { return ProxyHeader.none }
        switch held[13] >> 4 {
        case 1:
            guard count >= 12 else { throw Violation(reason: "the PROXY header is too short for its addresses") }
            return .client(IPAddress(v4: held[16..<20].reduce(0) { $0 << 8 | UInt32($1) }))
        case 2:
            guard count >= 36 else { throw Violation(reason: "the PROXY header is too short for its addresses") }
            return .client(
                IPAddress(
                    high: held[16..<24].reduce(0) { $0 << 8 | UInt64($1) },
                    low: held[24..<32].reduce(0) { $0 << 8 | UInt64($1) }))
        case 0, 3: return ProxyHeader.none
        default: throw Violation(reason: "an unknown address family in the PROXY header")
        }
    }
}
