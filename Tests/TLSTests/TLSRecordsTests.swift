@testable import TLS
import TestSupport
import Testing

/// The records that a server of TLS 1.3 makes itself, against OpenSSL's at the client.
@Suite(.enabled(if: Certificates.made != nil, Comment(rawValue: Certificates.isMissing)))
struct TLSRecordsTests {
    private let certificates: Certificates

    init() throws {
        certificates = try #require(Certificates.made)
    }

    private func open(_ ciphers: TLSRecordCiphers?) throws -> EnginePair {
        var pair = try EnginePair(certificates.server(), certificates.client(), ciphers: ciphers)
        pair.run()
        try #require(pair.isOpen, "\(pair)")
        return pair
    }

    @Test(arguments: [UInt64(2), 3, 17, 1 << 24])
    func `the server changes its key again and again, and the client follows`(recordsPerKey: UInt64) throws {
        var pair = try open(TLSRecordCiphers(recordsPerKey: recordsPerKey))
        var random = SeededRandom(seed: recordsPerKey)
        var (up, down): ([UInt8], [UInt8]) = ([], [])
        for _ in 1...200 {
            let (question, answer) = (random.bytes(.random(in: 0...300, using: &random)), random.bytes(40))
            #expect(question.withRawSpan { pair.client.write($0) })
            #expect(answer.withRawSpan { pair.server.write($0) })
            up += question
            down += answer
            pair.run()
        }
        #expect(pair.isOpen)
        #expect(pair.atServer == up)
        #expect(pair.atClient == down)
    }

    @Test func `connections that share ciphers do not see each other`() throws {
        let ciphers = try TLSRecordCiphers()
        var pairs = [try open(ciphers), try open(ciphers), try open(ciphers)]
        for round in 0..<50 {
            for index in pairs.indices {
                let text = Array("round \(round) of \(index)".utf8)
                _ = text.withRawSpan { pairs[index].client.write($0) }
                _ = text.withRawSpan { pairs[index].server.write($0) }
            }
            for index in pairs.indices { pairs[index].run() }
        }
        for (index, pair) in pairs.enumerated() {
            let all = (0..<50).flatMap { "round \($0) of \(index)".utf8 }
            #expect(pair.atServer == all)
            #expect(pair.atClient == all)
        }
    }

    @Test func `a changed byte of a record, or a record that comes twice, ends the connection with an alert`() throws {
        let ciphers = try TLSRecordCiphers()
        let size = try record(on: open(ciphers)).count
        for place in 0..<size {
            var pair = try open(ciphers)
            var bytes = record(on: pair)
            bytes[place] ^= 1
            // A length that says more than there is waits for more, which then stands in the wrong place.
            bytes += record(on: pair, bytes: 400)
            var plaintext: [UInt8] = []
            let state = bytes.withRawSpan { pair.server.receive($0, into: &plaintext) }
            guard case .failed = state else {
                Issue.record("byte \(place): \(state)")
                continue
            }
            #expect(plaintext.isEmpty)
            pair.run()
            guard case .failed = pair.client.state else {
                Issue.record("byte \(place): the client was not told")
                continue
            }
        }
        let pair = try open(ciphers)
        let bytes = record(on: pair)
        var plaintext: [UInt8] = []
        _ = bytes.withRawSpan { pair.server.receive($0, into: &plaintext) }
        let state = bytes.withRawSpan { pair.server.receive($0, into: &plaintext) }
        guard case .failed = state else {
            Issue.record("a record was taken twice")
            return
        }
    }

    @Test(arguments: [
        [20, 3, 3, 0, 1, 1], [22, 3, 3, 0, 4, 24, 0, 0, 1], [21, 3, 3, 0, 2, 1, 0], [23, 3, 3, 0, 0],
        [23, 3, 3, 0, 16],
        [23, 3, 3, 0x41, 1], [23, 2, 0, 0, 30], [0, 0, 0, 0, 0],
    ])
    func `what is not encrypted is not taken`(bytes: [UInt8]) throws {
        let pair = try open(TLSRecordCiphers())
        var plaintext: [UInt8] = []
        let state = bytes.withRawSpan { pair.server.receive($0, into: &plaintext) }
        guard case .failed = state else {
            Issue.record("\(state)")
            return
        }
        #expect(plaintext.isEmpty)
        #expect(!pair.server.canWrite)
    }

    @Test func `a farewell goes both ways, and nothing is plain`() throws {
        var pair = try open(TLSRecordCiphers())
        let secret = Array("nobody else may read this".utf8)
        _ = secret.withRawSpan { pair.server.write($0) }
        pair.server.shutdown()
        #expect(!secret.withRawSpan { pair.server.write($0) })
        pair.run()
        #expect(pair.atClient == secret)
        #expect(pair.client.state == .ended)
        pair.client.shutdown()
        pair.run()
        #expect(pair.server.state == .ended)
        #expect(pair.toClient.firstRange(of: secret) == nil)
    }

    private func record(on pair: EnginePair, bytes: Int = 5) -> [UInt8] {
        _ = [UInt8](repeating: 7, count: bytes).withRawSpan { pair.client.write($0) }
        return pair.client.takeCiphertext()
    }

    // MARK: A client that makes its records itself

    /// Makes records as a client with these keys would.
    private struct Peer {
        let ciphers: TLSRecordCiphers
        var writing: TrafficKey
        let server: TLSRecords

        init(_ suite: TrafficSuite) throws {
            ciphers = try TLSRecordCiphers()
            let (up, down) = (
                [UInt8](repeating: 3, count: suite.digestBytes), [UInt8](repeating: 4, count: suite.digestBytes)
            )
            writing = TrafficKey(suite, secret: up, sequence: 0)
            server = TLSRecords(
                reading: TrafficKey(suite, secret: up, sequence: 0),
                writing: TrafficKey(suite, secret: down, sequence: 0),
                outgoing: [], ciphers: ciphers)
        }

        mutating func send(_ content: [UInt8], type: UInt8) -> TLSEngine.State {
            let count = content.count + 1 + TLSRecordCiphers.tagBytes
            let header: [UInt8] = [23, 3, 3, UInt8(count >> 8), UInt8(count & 0xff)]
            var sealed = [UInt8](repeating: 0, count: count)
            let isSealed = unsafe content.withUnsafeBytes { content in
                unsafe sealed.withUnsafeMutableBytes {
                    unsafe ciphers.seal(content, type: type, header: header, with: &writing, into: $0)
                }
            }
            #expect(isSealed)
            var plaintext: [UInt8] = []
            return unsafe (header + sealed).withUnsafeBytes { unsafe server.receive($0, into: &plaintext) }
        }

        mutating func updateKey() -> TLSEngine.State {
            defer { writing.advance() }
            return send([24, 0, 0, 1, 1], type: 22)
        }
    }

    @Test(arguments: TrafficSuite.allCases)
    func `new keys that are asked for are one, before the next content`(suite: TrafficSuite) throws {
        var peer = try Peer(suite)
        for _ in 1...32 { #expect(peer.updateKey() == .open) }
        #expect(peer.server.outgoingBytes == 0)
        let isWritten = unsafe [UInt8](repeating: 7, count: 100).withUnsafeBytes { unsafe peer.server.write($0) }
        #expect(isWritten)
        // The update of 5 bytes, and the content; each with its header, type and tag.
        #expect(peer.server.take().count == 27 + 122)
        guard case .failed = peer.updateKey() else {
            Issue.record("new keys without end were taken")
            return
        }
    }

    @Test(arguments: [[23], [21, 1, 90]])
    func `records that say nothing are taken so often and not without end`(typeAndContent: [UInt8]) throws {
        let (type, content) = (typeAndContent[0], Array(typeAndContent.dropFirst()))
        var peer = try Peer(.aes128)
        for _ in 1...32 { #expect(peer.send(content, type: type) == .open) }
        #expect(peer.send([1], type: 23) == .open)
        for _ in 1...32 { #expect(peer.send(content, type: type) == .open) }
        guard case .failed = peer.send(content, type: type) else {
            Issue.record("nothing was taken without end")
            return
        }
    }
}
