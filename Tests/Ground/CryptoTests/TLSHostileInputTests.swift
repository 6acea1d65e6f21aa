import Crypto
import TestSupport
import Testing

@Suite(.enabled(if: Certificates.made != nil, Comment(rawValue: Certificates.isMissing)))
struct TLSHostileInputTests {
    private let context: TLSContext
    private let client: TLSContext

    init() throws {
        let certificates = try #require(Certificates.made)
        context = try certificates.server()
        client = try certificates.client()
    }

    @Test(arguments: FirstWord.all)
    func `a greeting that we do not accept ends the connection`(word: FirstWord) throws {
        for pieces in [[word.bytes], word.bytes.map { [$0] }] {
            let engine = try TLSEngine(context)
            var plaintext: [UInt8] = []
            for piece in pieces { piece.withRawSpan { _ = engine.receive($0, into: &plaintext) } }
            guard case .failed = engine.state else {
                Issue.record("\(word.name): \(engine.state)")
                continue
            }
            #expect(plaintext == [])
            // An alert at most; and nothing more, whatever comes.
            #expect(engine.takeCiphertext().count <= 7)
            word.bytes.withRawSpan { _ = engine.receive($0, into: &plaintext) }
            #expect(engine.takeCiphertext() == [])
        }
    }

    @Test func `random bytes never open a connection`() throws {
        for seed in 1...300 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed)
            let engine = try TLSEngine(context)
            var plaintext: [UInt8] = []
            let isRecord = seed.isMultiple(of: 2)
            let noise = (isRecord ? [22, 3, 1, 1, 0, 1, 0, 0, 252] : []) + random.bytes(2000)
            noise.withRawSpan { _ = engine.receive($0, into: &plaintext) }
            #expect(engine.state != .open && engine.state != .ended, "seed \(seed)")
            #expect(plaintext == [])
            #expect(engine.takeCiphertext().count <= 7, "seed \(seed)")
        }
    }

    @Test func `a greeting without end is not kept`() throws {
        let engine = try TLSEngine(context)
        var plaintext: [UInt8] = []
        // A handshake message of 60,000 bytes, announced and then sent a record at a time.
        var stream: [UInt8] = [22, 3, 1, 0, 4, 1, 0, 0xEA, 0x60]
        for _ in 0..<8 { stream += [22, 3, 1, 0x20, 0] + Array(repeating: 0, count: 0x2000) }
        stream.withRawSpan { _ = engine.receive($0, into: &plaintext) }
        guard case .failed = engine.state else {
            Issue.record("\(engine.state)")
            return
        }
    }

    @Test func `every changed byte of the client's words is noticed`() throws {
        let size = try deliver { $0 }.toServer.count
        var unnoticed: [Int] = []
        for place in 0..<size {
            let pair = try deliver { changing($0, at: place) }
            if pair.atServer == Array("secret".utf8) { unnoticed.append(place) }
            #expect(pair.atServer.isEmpty || unnoticed.last == place, "byte \(place)")
        }
        // The minor version of the first record means nothing (RFC 8446, section 5.1).
        #expect(unnoticed == [2])
    }

    @Test func `a greeting is refused that offers other protocols alone`() throws {
        var pair = try EnginePair(context, client)
        pair.run { bytes, _, isUp in
            isUp ? [replacing(Array("http/1.1".utf8), with: Array("http/2.2".utf8), in: bytes)] : [bytes]
        }
        guard case .failed(.protocol(let error)) = pair.server.state else {
            Issue.record("\(pair.server.state)")
            return
        }
        #expect(error.reason == "no application protocol")
        // Alert 120 (RFC 7301, section 3.2).
        #expect(pair.toClient == [21, 3, 3, 0, 2, 2, 120])
    }

    @Test func `a connection cannot be led to a new handshake`() throws {
        let certificates = try #require(Certificates.made)
        var pair = try EnginePair(context, certificates.client(newest: .v12))
        pair.run()
        try #require(pair.isOpen)
        // A second greeting in the clear, where only encrypted records are due.
        var plaintext: [UInt8] = []
        greeting(version: 0x0303, suites: [0xC0, 0x2B]).withRawSpan {
            _ = pair.server.receive($0, into: &plaintext)
        }
        guard case .failed = pair.server.state else {
            Issue.record("\(pair.server.state)")
            return
        }
    }

    /// A handshake and the word `secret`, with the client's stream changed on the way.
    private func deliver(_ change: @escaping ([UInt8]) -> [UInt8]) throws -> EnginePair {
        var pair = try EnginePair(context, client)
        var sent: [UInt8] = []
        let cut = { (bytes: [UInt8], before: Int, isUp: Bool) -> [[UInt8]] in
            guard isUp else { return [bytes] }
            let changed = change(sent + bytes)
            defer { sent += bytes }
            return [Array(changed[before...])]
        }
        pair.run(cut: cut)
        _ = Array("secret".utf8).withRawSpan { pair.client.write($0) }
        pair.run(cut: cut)
        return pair
    }

    private func changing(_ bytes: [UInt8], at place: Int) -> [UInt8] {
        var bytes = bytes
        if place < bytes.count { bytes[place] ^= 0x10 }
        return bytes
    }

    private func replacing(_ old: [UInt8], with new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: old) }) else { return bytes }
        return bytes[..<start] + new + bytes[(start + old.count)...]
    }
}

/// A client's greeting of an older kind, with nothing but a version and suites (RFC 5246, section 7.4.1.2), and the
/// curves and signatures a handshake with them would need.
private func greeting(version: UInt16, suites: [UInt8]) -> [UInt8] {
    let extensions: [UInt8] = [0, 10, 0, 4, 0, 2, 0, 23, 0, 13, 0, 4, 0, 2, 4, 3]
    let body =
        [UInt8(version >> 8), UInt8(version & 255)] + Array(repeating: 7, count: 32) + [0, 0, UInt8(suites.count)]
        + suites
        + [1, 0, 0, UInt8(extensions.count)] + extensions
    return [22, 3, 1, 0, UInt8(body.count + 4), 1, 0, 0, UInt8(body.count)] + body
}

/// The first bytes of a hostile client.
struct FirstWord: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    var testDescription: String { name }

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    static let all: [FirstWord] = [
        FirstWord("an HTTP request", Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)),
        FirstWord("an SSL 2 greeting", [0x80, 0x2E, 1, 0, 2, 0, 0x15, 0, 0, 0, 0x10, 1, 0, 0x80] + zeros(34)),
        FirstWord("a TLS 1.1 greeting", greeting(version: 0x0302, suites: [0xC0, 0x2B])),
        FirstWord("an SSL 3 greeting", greeting(version: 0x0300, suites: [0xC0, 0x2B])),
        FirstWord("only suites without forward secrecy", greeting(version: 0x0303, suites: [0, 0x9C, 0, 0x2F])),
        FirstWord("only CBC suites", greeting(version: 0x0303, suites: [0xC0, 0x23, 0xC0, 0x09])),
        FirstWord("no suites", greeting(version: 0x0303, suites: [])),
        FirstWord("data before the handshake", [23, 3, 3, 0, 2, 1, 2]),
        FirstWord("an alert as the first word", [21, 3, 3, 0, 2, 2, 40]),
        FirstWord("a record of an unknown kind", [99, 3, 3, 0, 1, 0]),
        FirstWord("a record longer than any", [22, 3, 1, 0xFF, 0xFF] + zeros(100)),
        FirstWord("a greeting longer than any", [22, 3, 1, 0, 4, 1, 0xFF, 0xFF, 0xFF]),
        FirstWord("a server's greeting", [22, 3, 3, 0, 4, 2, 0, 0, 0]),
        FirstWord("an empty greeting", [22, 3, 1, 0, 4, 1, 0, 0, 0]),
        FirstWord("zeros", zeros(64)),
        FirstWord("empty records", Array(repeating: [22, 3, 1, 0, 0], count: 64).flatMap { $0 }),
    ]

    private static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }
}
