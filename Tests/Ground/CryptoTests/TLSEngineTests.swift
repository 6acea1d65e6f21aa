import Crypto
import TestSupport
import Testing

@Suite(.enabled(if: Certificates.made != nil, Comment(rawValue: Certificates.isMissing)))
struct TLSEngineTests {
    private let certificates: Certificates
    private let hello = Array("hello".utf8)
    private let answer = Array("answer".utf8)

    init() throws {
        certificates = try #require(Certificates.made)
    }

    @Test(arguments: TLSVersion.allCases, ["ec", "rsa", "ed25519", "chain"])
    func `two ends agree and talk`(version: TLSVersion, name: String) throws {
        var pair = try EnginePair(certificates.server(name), certificates.client(newest: version))
        #expect(pair.server.version == nil)
        #expect(pair.client.ciphertextBytes > 0)
        pair.run()
        try #require(pair.isOpen, "\(pair.client.state) \(pair.server.state)")
        for engine in [pair.client, pair.server] {
            #expect(engine.version == version)
            #expect(engine.applicationProtocol == "http/1.1")
            #expect(engine.serverName == "localhost")
            #expect(!engine.isResumed)
            #expect(engine.suite?.contains("GCM") == true || engine.suite?.contains("CHACHA20") == true)
        }
        #expect(hello.withRawSpan { pair.client.write($0) })
        #expect(answer.withRawSpan { pair.server.write($0) })
        pair.run()
        #expect(pair.atServer == hello)
        #expect(pair.atClient == answer)
    }

    @Test(arguments: TLSVersion.allCases)
    func `every cut of the streams gives the same`(version: TLSVersion) throws {
        let (server, client) = (try certificates.server(), try certificates.client(newest: version))
        let whole = try talk(server, client, cut: nil)
        for place in 0..<whole.toServer.count {
            try talk(server, client) { bytes, before, isUp in
                isUp && before <= place && place < before + bytes.count
                    ? [Array(bytes[..<(place - before)]), Array(bytes[(place - before)...])] : [bytes]
            }
        }
        for place in 0..<whole.toClient.count {
            try talk(server, client) { bytes, before, isUp in
                !isUp && before <= place && place < before + bytes.count
                    ? [Array(bytes[..<(place - before)]), Array(bytes[(place - before)...])] : [bytes]
            }
        }
        try talk(server, client) { bytes, _, _ in bytes.flatMap { [[$0], []] } }
    }

    @Test func `a server that holds nothing back writes one record for one write`() throws {
        let pair = try open()
        _ = hello.withRawSpan { pair.server.write($0) }
        let record = pair.server.takeCiphertext()
        // Header 5, the content's type 1, the tag 16 (RFC 8446, section 5.2).
        #expect(record.count == hello.count + 22)
        #expect(record.starts(with: [23, 3, 3]))
    }

    @Test(arguments: TLSVersion.allCases)
    func `a megabyte goes both ways, in pieces of any size`(version: TLSVersion) throws {
        var pair = try EnginePair(certificates.server(), certificates.client(newest: version))
        pair.run()
        var random = SeededRandom(seed: 7)
        let up = random.bytes(1 << 20)
        let down = random.bytes(1 << 20)
        var (sentUp, sentDown) = (0, 0)
        while sentUp < up.count || sentDown < down.count {
            let next = (
                min(up.count, sentUp + .random(in: 1...60_000, using: &random)),
                min(down.count, sentDown + .random(in: 1...60_000, using: &random))
            )
            #expect(Array(up[sentUp..<next.0]).withRawSpan { pair.client.write($0) })
            #expect(Array(down[sentDown..<next.1]).withRawSpan { pair.server.write($0) })
            (sentUp, sentDown) = next
            let size = Int.random(in: 1...40_000, using: &random)
            pair.run { bytes, _, _ in
                stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
            }
        }
        #expect(pair.atServer == up)
        #expect(pair.atClient == down)
    }

    @Test(arguments: TLSVersion.allCases)
    func `a farewell ends one direction, and nothing else does`(version: TLSVersion) throws {
        var pair = try EnginePair(certificates.server(), certificates.client(newest: version))
        pair.run()
        pair.client.shutdown()
        #expect(!hello.withRawSpan { pair.client.write($0) })
        pair.run()
        #expect(pair.server.state == .ended)
        #expect(pair.client.state == .open)
        #expect(answer.withRawSpan { pair.server.write($0) })
        pair.server.shutdown()
        pair.server.shutdown()
        pair.run()
        #expect(pair.atClient == answer)
        #expect(pair.client.state == .ended)
        pair.client.transportEnded()
        #expect(pair.client.state == .ended)
    }

    @Test func `the end of a transport without a TLS close is reported`() throws {
        let pair = try open()
        pair.server.transportEnded()
        #expect(pair.server.state == .failed(.truncated))
        #expect(!hello.withRawSpan { pair.server.write($0) })
        let early = try TLSEngine(certificates.server())
        early.transportEnded()
        #expect(early.state == .failed(.truncated))
    }

    @Test(arguments: [1, 4, 9, 100])
    func `a hello that says it is long is refused by its first bytes, however they come`(pieceBytes: Int) throws {
        // A record of 91 bytes, a hello of 130,000.
        let long: [UInt8] = [22, 3, 1, 0, 91, 1, 1, 0xFB, 0xD0] + [UInt8](repeating: 0, count: 91)
        // A record that has no room for the hello's header.
        let small: [UInt8] = [22, 3, 1, 0, 3, 1, 0, 0, 22, 3, 1, 0, 91]
        for bytes in [long, small] {
            let server = try TLSEngine(certificates.server())
            var plaintext: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                let piece = Array(bytes[start..<min(start + pieceBytes, bytes.count)])
                piece.withRawSpan { _ = server.receive($0, into: &plaintext) }
            }
            #expect(server.state == .failed(.helloTooLong))
            #expect(server.heldBytes < 64 * 1024)
        }
    }

    @Test func `an engine that is closed holds nothing`() throws {
        let pair = try open()
        pair.server.close()
        #expect(pair.server.heldBytes == 0 && !pair.server.canWrite)
        #expect(pair.server.takeCiphertext().isEmpty)
        let early = try TLSEngine(certificates.server())
        early.close()
        #expect(early.state == .failed(.truncated) && early.heldBytes == 0)
    }

    @Test func `before the handshake nothing is written, and nothing fails`() throws {
        let server = try TLSEngine(certificates.server())
        #expect(!hello.withRawSpan { server.write($0) })
        server.shutdown()
        #expect(server.state == .handshaking)
        #expect(server.takeCiphertext() == [])
    }

    @Test func `a new context leaves the engines of the old one as they are`() throws {
        var context: TLSContext? = try certificates.server("ec")
        var pair = try EnginePair(try #require(context), certificates.client())
        pair.run()
        context = try certificates.server("rsa")
        _ = hello.withRawSpan { pair.client.write($0) }
        pair.run()
        #expect(pair.atServer == hello)
        var next = try EnginePair(try #require(context), certificates.client())
        next.run()
        #expect(next.isOpen)
    }

    private func open() throws -> EnginePair {
        var pair = try EnginePair(certificates.server(), certificates.client())
        pair.run()
        try #require(pair.isOpen)
        return pair
    }

    /// Handshake, a word each way, farewell.
    @discardableResult
    private func talk(
        _ server: TLSContext,
        _ client: TLSContext,
        cut: (([UInt8], Int, Bool) -> [[UInt8]])?
    ) throws -> EnginePair {
        var pair = try EnginePair(server, client)
        pair.run(cut: cut)
        try #require(pair.isOpen, "\(pair.client.state) \(pair.server.state)")
        _ = hello.withRawSpan { pair.client.write($0) }
        _ = answer.withRawSpan { pair.server.write($0) }
        pair.run(cut: cut)
        pair.client.shutdown()
        pair.run(cut: cut)
        try #require(pair.atServer == hello && pair.atClient == answer && pair.server.state == .ended)
        return pair
    }
}
