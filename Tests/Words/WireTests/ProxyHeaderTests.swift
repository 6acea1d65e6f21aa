import Model
import TestSupport
import Testing
import Wire

/// A reader's result for a connection's first bytes.
enum ProxyOutcome: Sendable, Equatable {
    case header(ProxyHeader, rest: [UInt8])
    case incomplete
    case violation
}

struct ProxyHeaderTests {
    private static func outcome(_ pieces: [[UInt8]]) -> ProxyOutcome {
        var reader = ProxyHeaderReader()
        var found: ProxyHeader?
        var rest: [UInt8] = []
        for piece in pieces {
            if found != nil {
                rest += piece
                continue
            }
            var offset = 0
            do {
                found = try piece.withRawSpan { (span) throws(ProxyHeaderReader.Violation) in
                    try reader.next(span, at: &offset)
                }
            } catch {
                return .violation
            }
            rest = Array(piece.dropFirst(offset))
        }
        return found.map { .header($0, rest: rest) } ?? .incomplete
    }

    private static let signature: [UInt8] = Array("\r\n\r\n\0\r\nQUIT\n".utf8)

    private static func binary(_ versionAndCommand: UInt8, _ family: UInt8, _ body: [UInt8]) -> [UInt8] {
        signature + [versionAndCommand, family, UInt8(body.count >> 8), UInt8(body.count & 0xff)] + body
    }

    private static let v4: [UInt8] = [192, 0, 2, 1, 10, 0, 0, 1, 0x1f, 0x90, 0, 80]
    private static let v6: [UInt8] =
        [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [1] + [UInt8](repeating: 0, count: 20)

    static let good: [(String, [UInt8], String?)] = [
        ("version 1, IPv4", Array("PROXY TCP4 192.0.2.1 10.0.0.1 8080 80\r\n".utf8), "192.0.2.1"),
        ("version 1, IPv6", Array("PROXY TCP6 2001:db8::1 ::1 65535 0\r\n".utf8), "2001:db8::1"),
        ("version 1, unknown", Array("PROXY UNKNOWN\r\n".utf8), nil),
        ("version 1, unknown with words", Array("PROXY UNKNOWN ffff:: ffff:: 65535 65535\r\n".utf8), nil),
        ("version 2, IPv4", binary(0x21, 0x11, v4), "192.0.2.1"),
        ("version 2, IPv6", binary(0x21, 0x21, v6), "2001:db8::1"),
        ("version 2, with extensions", binary(0x21, 0x11, v4 + [0x04, 0, 3, 1, 2, 3, 0x20, 0, 1, 9]), "192.0.2.1"),
        ("version 2, LOCAL", binary(0x20, 0x00, []), nil),
        ("version 2, LOCAL with addresses", binary(0x20, 0x11, v4), nil),
        ("version 2, unspecified", binary(0x21, 0x00, [1, 2, 3]), nil),
        ("version 2, UNIX", binary(0x21, 0x31, [UInt8](repeating: 7, count: 216)), nil),
    ]

    @Test(arguments: good)
    func `a header is read, however it is cut, and the bytes after it are left`(
        _ name: String, _ bytes: [UInt8], _ client: String?
    ) {
        let header = client.flatMap { IPAddress($0) }.map { ProxyHeader.client($0) } ?? ProxyHeader.none
        let rest = Array("GET / HTTP/1.1\r\n".utf8)
        #expect(Self.outcome([bytes]) == .header(header, rest: []))
        #expect(Self.outcome([bytes + rest]) == .header(header, rest: rest))
        #expect(DecoderVerifier.disagreements(bytes + rest) { [Self.outcome($0)] }.isEmpty)
        for count in bytes.indices { #expect(Self.outcome([Array(bytes[..<count])]) == .incomplete) }
    }

    static let bad: [[UInt8]] =
        [
            "GET / HTTP/1.1\r\n", "PROXY\r\n", "PROXY  TCP4 1.2.3.4 1.2.3.4 1 2\r\n",
            "proxy TCP4 1.2.3.4 1.2.3.4 1 2\r\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2 3\r\n",
            "PROXY TCP5 1.2.3.4 1.2.3.4 1 2\r\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 65536 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 01 2\r\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 -1 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4  2\r\n", "PROXY TCP4 ::1 ::1 1 2\r\n",
            "PROXY TCP6 1.2.3.4 ::1 1 2\r\n", "PROXY TCP4 1.2.3.4 localhost 1 2\r\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\n",
            "PROXY TCP4 1.2.3.400 1.2.3.4 1 2\r\n", "PROXY UNKNOWN " + String(repeating: "x", count: 100) + "\r\n",
            "\r\n\r\n\0\r\nQUIX\n", "\u{16}\u{3}\u{1}",
        ]
        .map { Array($0.utf8) } + [
            binary(0x11, 0x11, v4), binary(0x22, 0x11, v4), binary(0x2f, 0x11, v4), binary(0x21, 0x41, v4),
            binary(0x21, 0x11, Array(v4.dropLast())), binary(0x21, 0x21, Array(v6.dropLast())),
            signature + [0x21, 0x11, 0xff, 0xff],
        ]

    @Test(arguments: bad)
    func `bytes that are not a header are refused at the first wrong byte`(_ bytes: [UInt8]) {
        #expect(Self.outcome([bytes]) == .violation)
        #expect(DecoderVerifier.disagreements(bytes) { [Self.outcome($0)] }.isEmpty)
    }
}

struct ForwardedForTests {
    private static let proxies = ["10.0.0.0/8", "::1"]

    @Test(arguments: [
        ("192.0.2.9", ["203.0.113.1"], "192.0.2.9"), ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["203.0.113.1"], "203.0.113.1"), ("10.0.0.1", ["1.1.1.1, 203.0.113.1"], "203.0.113.1"),
        ("10.0.0.1", ["203.0.113.1, 10.0.0.2"], "203.0.113.1"),
        ("10.0.0.1", ["203.0.113.1", "10.0.0.2"], "203.0.113.1"),
        ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"), ("10.0.0.1", ["unknown"], "10.0.0.1"),
        ("10.0.0.1", ["203.0.113.1, nonsense, 10.0.0.2"], "10.0.0.2"), ("10.0.0.1", [""], "10.0.0.1"),
        ("::1", ["2001:db8::7"], "2001:db8::7"), ("::1", ["[2001:db8::7]:443"], "2001:db8::7"),
        ("::1", ["203.0.113.1:8443"], "203.0.113.1"), ("::1", ["\t203.0.113.1 "], "203.0.113.1"),
        ("::1", ["[::2"], "::1"),
    ])
    func `the client is the address that the last trusted proxy names`(
        _ peer: String, _ fields: [String], _ client: String
    ) throws {
        var headers = HTTPHeaders()
        for field in fields { headers.append("X-Forwarded-For", field) }
        let trusted = try #require(AddressRanges(Self.proxies))
        let found = ForwardedFor.client(of: try #require(IPAddress(peer)), headers, trusted: trusted)
        #expect(found == IPAddress(client))
    }
}
