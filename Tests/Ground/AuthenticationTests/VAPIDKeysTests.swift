import Authentication
import Crypto
import Digits
import Files
import Foundation
import Glibc
import Model
import TestSupport
import Testing

@Suite struct VAPIDKeysTests {
    private let folder = TemporaryFolder()
    private let path: String

    init() throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        path = folder.path + "/" + VAPIDKeys.fileName
    }

    /// The key of the example of RFC 8291, section 5.
    private static let line = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
    private static let publicKey =
        "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
    private static let other = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE"

    private func write(_ text: String) throws {
        #expect(try PrivateFile(path: path).create(Array(text.utf8), temporaryName: ".t"))
    }

    @Test func `a key is made once with mode 0600, whole or not at all`() throws {
        #expect(try VAPIDKeys.load(path: path) == nil)
        let made = try VAPIDKeys.loadOrCreate(path: path)
        #expect(made.publicKeys == [made.publicKey])
        #expect(made.publicKey.hasPrefix("B"))
        #expect(Base64.url.decode(Array(made.publicKey.utf8))?.count == 65)
        #expect(try VAPIDKeys.loadOrCreate(path: path).publicKeys == made.publicKeys)
        #expect(try VAPIDKeys.load(path: path)?.publicKeys == made.publicKeys)
        #expect(TemporaryFolder.permissions(of: path) == 0o600)
        #expect(folder.files == [VAPIDKeys.fileName])
        #expect(try PrivateFile(path: path).read(bytesMax: 1024)?.count == 44)
    }

    @Test func `many that make the key at once get the same`() async throws {
        let path = path
        let keys = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { try VAPIDKeys.loadOrCreate(path: path).publicKey } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(keys.count == 8)
        #expect(Set(keys).count == 1)
        #expect(folder.files == [VAPIDKeys.fileName])
    }

    @Test(arguments: [line, line + "\n", line + "\n" + other, line + "\n" + other + "\n"])
    func `one or two lines are read, the newest first`(text: String) throws {
        try write(text)
        let keys = try VAPIDKeys.loadOrCreate(path: path)
        #expect(keys.publicKey == Self.publicKey)
        #expect(keys.publicKeys.count == (text.contains(Self.other) ? 2 : 1))
        #expect(try PrivateFile(path: path).read(bytesMax: 1024) == Array(text.utf8))
    }

    @Test func `each public key gives its own private half, another key none`() throws {
        try write(Self.line + "\n" + Self.other)
        let keys = try VAPIDKeys.loadOrCreate(path: path)
        for text in keys.publicKeys {
            let key = try #require(keys.signingKey(for: text))
            #expect(key.publicKey.point.map(Base64.url.text) == text)
        }
        let stranger = try #require(try SigningKey(.es256).publicKey.point)
        #expect(keys.signingKey(for: Base64.url.text(of: stranger)) == nil)
        #expect(keys.signingKey(for: "") == nil)
    }

    @Test func `a rotation keeps the last key second, and no older one`() throws {
        let first = try VAPIDKeys.loadOrCreate(path: path)
        let second = try VAPIDKeys.rotate(path: path)
        #expect(second.publicKeys.count == 2)
        #expect(second.publicKeys.last == first.publicKey)
        #expect(try VAPIDKeys.load(path: path)?.publicKeys == second.publicKeys)
        let third = try VAPIDKeys.rotate(path: path)
        #expect(third.publicKeys.dropFirst() == [second.publicKey])
        #expect(third.signingKey(for: first.publicKey) == nil)
        #expect(TemporaryFolder.permissions(of: path) == 0o600)
        #expect(folder.files == [VAPIDKeys.fileName])
    }

    @Test func `a key that others may read is refused, and says what to do`() throws {
        _ = try VAPIDKeys.loadOrCreate(path: path)
        unsafe chmod(path, 0o644)
        let error = #expect(throws: ServerSecretError.self) { _ = try VAPIDKeys.loadOrCreate(path: path) }
        #expect(error?.description.contains("mode 0644") == true)
        #expect(error?.description.contains("chmod 600 \(path)") == true)
    }

    @Test(arguments: [
        "", "\n", "x", line + "=", String(line.dropLast()), line + "A", line + " ", line + "\r\n", " " + line,
        line + "\nx", "x\n" + line, line + "\n" + line + "\n" + other,
        // Zero, and the order of the curve: no private keys.
        String(repeating: "A", count: 43), "_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE",
        // In the other alphabet of Base64.
        "yfWPiYE+n46HLnH0KqZOF1fJJU3MYrct3AELtAQ+oRw",
    ])
    func `a file that is not a list of keys is refused by its name and not changed`(text: String) throws {
        try write(text)
        let expected =
            "\(path) must hold one or two lines of base64url, each the 32 bytes of a private key of P-256, the newest first"
        #expect(throws: ServerSecretError.file(expected)) { _ = try VAPIDKeys.loadOrCreate(path: path) }
        #expect(throws: ServerSecretError.file(expected)) { _ = try VAPIDKeys.rotate(path: path) }
        #expect(try PrivateFile(path: path).read(bytesMax: 1024) == Array(text.utf8))
    }

    @Test func `the header for a push service bears the claims of RFC 8292 and verifies`() throws {
        try write(Self.line)
        let keys = try VAPIDKeys.loadOrCreate(path: path)
        let header = try #require(
            try keys.authorization(
                publicKey: keys.publicKey, origin: "https://push.example.net", contact: "mailto:push@example.com",
                expiresAt: Timestamp(seconds: 1_453_523_768)))
        let match = try #require(header.wholeMatch(of: /vapid t=([\w\-.]+),k=([\w\-]+)/))
        #expect(match.2 == Self.publicKey)
        let parts = match.1.split(separator: ".").map(String.init)
        #expect(parts.count == 3)
        // The payload of RFC 8292, section 2.4, byte for byte.
        #expect(
            parts[1] == "eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6"
                + "Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0")
        let verifier = try VerificationKey(try #require(keys.signingKey(for: keys.publicKey)).publicKey)
        let signature = try #require(Base64.url.decode(Array(parts[2].utf8)))
        #expect(verifier.verifies(signature, of: Array("\(parts[0]).\(parts[1])".utf8)))
        #expect(
            try keys.authorization(
                publicKey: "B", origin: "https://a.example", contact: "mailto:a@b.example",
                expiresAt: Timestamp(seconds: 1)) == nil)
    }

    @Test func `push keys do not show themselves`() throws {
        let keys = try VAPIDKeys.loadOrCreate(path: path)
        var dumped = ""
        dump(keys, to: &dumped)
        #expect(dumped + "\(keys)" + String(reflecting: keys) == "- VAPIDKeys\nVAPIDKeysVAPIDKeys")
    }
}
