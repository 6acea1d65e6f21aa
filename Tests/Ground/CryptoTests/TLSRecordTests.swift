import TestSupport
import Testing
@testable import Crypto

/// The records after the handshake: which a server takes, and how many that bring nothing.
@Suite(.enabled(if: Certificates.made != nil, Comment(rawValue: Certificates.isMissing)))
struct TLSRecordTests {
    private let certificates: Certificates

    init() throws {
        certificates = try #require(Certificates.made)
    }

    private func open(_ version: TLSVersion = .v13) throws -> EnginePair {
        var pair = try EnginePair(certificates.server(), certificates.client(newest: version))
        pair.run()
        try #require(pair.isOpen, "\(pair)")
        return pair
    }

    @Test(arguments: TLSVersion.allCases)
    func `a changed byte of a record, or a record that comes twice, ends the connection with an alert`(
        version: TLSVersion
    ) throws {
        let size = try record(on: open(version)).count
        for place in 0..<size {
            var pair = try open(version)
            var bytes = record(on: pair)
            bytes[place] ^= 1
            // A record that announces more bytes than it has ends in the next one.
            bytes += record(on: pair, bytes: 400)
            var plaintext: [UInt8] = []
            let state = bytes.withRawSpan { pair.server.receive($0, into: &plaintext) }
            expectFailure(state, "byte \(place)")
            #expect(plaintext.isEmpty)
            pair.run()
            expectFailure(pair.client.state, "byte \(place) at the client")
        }
        let pair = try open(version)
        let bytes = record(on: pair)
        var plaintext: [UInt8] = []
        _ = bytes.withRawSpan { pair.server.receive($0, into: &plaintext) }
        expectFailure(bytes.withRawSpan { pair.server.receive($0, into: &plaintext) }, "twice")
    }

    @Test(arguments: [
        [20, 3, 3, 0, 1, 1], [22, 3, 3, 0, 4, 24, 0, 0, 1], [21, 3, 3, 0, 2, 1, 0], [23, 3, 3, 0, 0],
        [23, 3, 3, 0, 16] + Array(repeating: 7, count: 16), [23, 3, 3, 0x41, 1], [23, 2, 0, 0, 30], [0, 0, 0, 0, 0],
    ])
    func `a record without encryption is not taken`(bytes: [UInt8]) throws {
        let pair = try open()
        var plaintext: [UInt8] = []
        let state = bytes.withRawSpan { pair.server.receive($0, into: &plaintext) }
        expectFailure(state, "\(bytes)")
        #expect(plaintext.isEmpty)
        #expect(!pair.server.canWrite)
    }

    @Test func `a farewell goes both ways, and nothing is plain`() throws {
        var pair = try open()
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

    @Test(arguments: TLSVersion.allCases, [1, 2, 17])
    func `after a number of records the key changes, and the peer follows`(version: TLSVersion, perKey: Int32) throws {
        var pair = try open(version)
        var random = SeededRandom(seed: UInt64(perKey))
        var (up, down): ([UInt8], [UInt8]) = ([], [])
        for _ in 1...100 {
            let (question, answer) = (random.bytes(.random(in: 1...40_000, using: &random)), random.bytes(40))
            #expect(question.withRawSpan { pair.client.write($0, recordsPerKey: perKey) })
            #expect(answer.withRawSpan { pair.server.write($0, recordsPerKey: perKey) })
            #expect(pair.server.recordsUnderKey <= perKey || version == .v12)
            up += question
            down += answer
            pair.run()
        }
        #expect(pair.isOpen)
        #expect(pair.atServer == up)
        #expect(pair.atClient == down)
        // A record of 40 bytes takes 62, a new key 27 (RFC 8446, sections 4.6.3 and 5.2).
        if version == .v13 { #expect(pair.toClient.count >= 100 * 62 + (100 / Int(perKey) - 1) * 27) }
    }

    @Test(arguments: [true, false])
    func `new keys are taken 32 times in a row, and not without end`(isOneRead: Bool) throws {
        var client = try RecordForger(certificates)
        let keys = (0..<33).map { _ in client.newKey() }
        for piece in isOneRead ? [Array(keys[..<32])] : keys[..<32].map({ [$0] }) {
            #expect(client.send(piece) == [])
            #expect(client.server.state == .open)
            #expect(client.server.heldBytes == 0)
        }
        // Each is answered by a new key of the server's, 27 bytes with header, type and tag.
        #expect(client.server.takeCiphertext().count <= 32 * 27)
        client.send([keys[32]])
        #expect(client.server.state == .failed(.tooManyRecordsWithoutContent))
    }

    @Test func `content lets new keys be counted from the start, but not within one read`() throws {
        var client = try RecordForger(certificates)
        for _ in 1...3 {
            let keys = (0..<32).map { _ in client.newKey() }
            #expect(client.send(keys + [client.record([7], type: RecordForger.ContentType.applicationData)]) == [7])
            #expect(client.server.state == .open)
        }
        var records: [[UInt8]] = []
        for _ in 1...33 {
            records += [client.newKey(), client.record([7], type: RecordForger.ContentType.applicationData)]
        }
        client.send(records)
        #expect(client.server.state == .failed(.tooManyRecordsWithoutContent))
    }

    @Test func `a new key for every record of full size goes on for as long as it likes`() throws {
        var client = try RecordForger(certificates)
        let content = [UInt8](repeating: 7, count: 16 << 10)
        for _ in 1...50 {
            let records = (0..<4).flatMap { _ in
                [client.newKey(), client.record(content, type: RecordForger.ContentType.applicationData)]
            }
            #expect(client.send(records).count == 4 * content.count)
        }
        #expect(client.server.state == .open)
    }

    /// Empty ones, and warnings of a user who has cancelled.
    @Test(arguments: [[23], [21, 1, 90]] as [[UInt8]], [true, false])
    func `records that say nothing are taken a few times in a row, and not without end`(
        typeAndContent: [UInt8], isOneRead: Bool
    ) throws {
        let (type, content) = (typeAndContent[0], Array(typeAndContent.dropFirst()))
        var client = try RecordForger(certificates)
        let few = (0..<4).map { _ in client.record(content, type: type) }
        #expect(client.send(few + [client.record([7], type: RecordForger.ContentType.applicationData)]) == [7])
        #expect(client.server.state == .open)
        #expect(client.server.heldBytes == 0)
        let many = (0..<33).map { _ in client.record(content, type: type) }
        if isOneRead { client.send(many) } else { many.forEach { client.send([$0]) } }
        expectFailure(client.server.state, "\(typeAndContent)")
    }

    /// A second message after the new key; a ticket; a greeting; a finish; an update that is neither 0 nor 1; a message
    /// of unknown kind.
    @Test(arguments: [
        [24, 0, 0, 1, 0, 24, 0, 0, 1, 0], [4, 0, 0, 5, 0, 0, 0, 0, 0], [1, 0, 0, 4, 3, 3, 0, 0], [20, 0, 0, 1, 7],
        [24, 0, 0, 1, 2], [99, 0, 0, 0],
    ])
    func `after the handshake no message of it is taken but a new key by itself`(message: [UInt8]) throws {
        var client = try RecordForger(certificates)
        #expect(client.send([client.record(message, type: RecordForger.ContentType.handshake)]) == [])
        expectFailure(client.server.state, "\(message)")
    }

    private func record(on pair: EnginePair, bytes: Int = 5) -> [UInt8] {
        _ = [UInt8](repeating: 7, count: bytes).withRawSpan { pair.client.write($0) }
        return pair.client.takeCiphertext()
    }

    private func expectFailure(_ state: TLSEngine.State, _ what: String) {
        guard case .failed = state else {
            Issue.record("\(what): \(state)")
            return
        }
    }
}
