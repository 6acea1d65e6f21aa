import Crypto
import Files
import Glibc
import TestSupport
import Testing

@Suite(.enabled(if: Certificates.made != nil, Comment(rawValue: Certificates.isMissing)))
struct TLSContextTests {
    private let certificates: Certificates

    init() throws {
        certificates = try #require(Certificates.made)
    }

    @Test(arguments: [
        ("none", "ec", "FOLDER/none.pem: open failed: No such file or directory"),
        ("ec", "none", "FOLDER/none.key: open failed: No such file or directory"),
        ("empty", "ec", "FOLDER/empty.pem does not begin with a certificate in PEM form: no start line"),
        ("torn", "ec", "FOLDER/torn.pem: certificate 3 of the chain cannot be read: wrong tag"),
        ("ec", "text", "FOLDER/text.key is not a private key in PEM form: unsupported"),
        (
            "ec", "encrypted",
            "FOLDER/encrypted.key is encrypted: write it without a pass phrase, "
                + "with openssl pkey -in FOLDER/encrypted.key -out NEW"
        ),
        ("ec", "rsa", "FOLDER/rsa.key is not the key of the certificate in FOLDER/ec.pem"),
        ("ec", "stranger", "FOLDER/stranger.key is not the key of the certificate in FOLDER/ec.pem"),
        ("small", "small", "FOLDER/small.pem: the certificate cannot be used: ee key too small"),
    ])
    func `an error names the wrong file and its fault`(
        certificate: String,
        key: String,
        sentence: String
    ) throws {
        let error = #expect(throws: TLSContextError.self) {
            _ = try TLSContext(
                certificatePath: certificates.certificate(certificate),
                keyPath: certificates.key(key),
                ticketKeys: TLSTicketKeys()
            )
        }
        let said = error?.description.split(separator: certificates.folder, omittingEmptySubsequences: false)
            .joined(separator: "FOLDER")
        #expect(said == sentence)
    }

    @Test func `a folder is no certificate`() throws {
        #expect(throws: TLSContextError.file(.notAFile(path: certificates.folder))) {
            _ = try TLSContext(
                certificatePath: certificates.folder,
                keyPath: certificates.key("ec"),
                ticketKeys: TLSTicketKeys()
            )
        }
    }

    @Test func `an error names the file that has no authorities`() throws {
        let missing = certificates.certificate("none")
        #expect(throws: TLSContextError.file(.system(path: missing, operation: "open", errno: ENOENT))) {
            _ = try TLSContext(trust: .authorities(path: missing))
        }
        let empty = certificates.certificate("empty")
        let error = #expect(throws: TLSContextError.self) { _ = try TLSContext(trust: .authorities(path: empty)) }
        #expect(error?.description.hasPrefix("\(empty) holds no certificate authorities: ") == true)
    }

    @Test func `when the certificate ends is known`() throws {
        let now = Int64(time(nil))
        let ends = try #require(try certificates.server().certificateExpiresSeconds)
        #expect((now + 86_400...now + 2 * 86_400).contains(ends))
        #expect(try #require(try certificates.server("expired").certificateExpiresSeconds) < now)
        #expect(try certificates.client().certificateExpiresSeconds == nil)
    }

    @Test func `a key file that anybody may read is reported`() throws {
        #expect(try !certificates.server().isKeyOpenToOthers)
        let path = certificates.key("ed25519")
        #expect(unsafe chmod(path, 0o644) == 0)
        defer { unsafe _ = chmod(path, 0o600) }
        #expect(try certificates.server("ed25519").isKeyOpenToOthers)
    }

    /// 13.6 KB are OpenSSL's structures, and jemalloc has freed pages of the other ends for some seconds; without `SSL_MODE_RELEASE_BUFFERS` it would be 47.
    @Test(.enabled(if: unsafe getenv("WATCHWISE_SANITIZER") == nil, "a sanitizer takes memory of its own"))
    func `an idle connection of a server takes under 16.5 KB`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            print("an idle TLS engine takes \(try idleEngineBytes()) bytes")
        }
        let said = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        let bytes = try #require(said.split(separator: " ").compactMap { Int($0) }.last)
        print("an idle TLS engine takes \(bytes) bytes")
        #expect((1...16_500).contains(bytes))
    }
}

/// Resident memory that each of 600 server's ends takes after a word each way; for a process of its own.
private func idleEngineBytes() throws -> Int {
    let certificates = try #require(Certificates.made)
    let (server, client) = try (certificates.server(), certificates.client())
    var engines: [TLSEngine] = []
    var before = 0
    for number in 0..<700 {
        if number == 100 { before = try ResidentMemory.bytes() }
        var pair = try EnginePair(server, client)
        pair.run()
        _ = Array("hello".utf8).withRawSpan { pair.client.write($0) }
        _ = Array("answer".utf8).withRawSpan { pair.server.write($0) }
        pair.run()
        try #require(pair.isOpen && pair.atServer.count == 5)
        engines.append(pair.server)
    }
    return (try ResidentMemory.bytes() - before) / (engines.count - 100)
}
