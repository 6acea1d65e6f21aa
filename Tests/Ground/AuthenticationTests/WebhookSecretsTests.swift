import Authentication
import Files
import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct WebhookSecretsTests {
    private let folder = TemporaryFolder()
    private let path: String

    init() throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        path = folder.path + "/" + WebhookSecrets.fileName
    }

    private static let known = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    @Test func `the signature is that of the other implementations of Standard Webhooks`() throws {
        let secrets = try #require(WebhookSecrets(lines: Array(Self.known.utf8)))
        let signature = secrets.signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8))
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func `a secret is made once with mode 0600, whole or not at all`() throws {
        #expect(try WebhookSecrets.load(path: path) == nil)
        let made = try WebhookSecrets.loadOrCreate(path: path)
        #expect(made.texts.count == 1)
        #expect(made.texts[0].hasPrefix("whsec_"))
        #expect(made.texts[0].utf8.count == 6 + 44)
        #expect(try WebhookSecrets.loadOrCreate(path: path) == made)
        #expect(TemporaryFolder.permissions(of: path) == 0o600)
        #expect(folder.files == [WebhookSecrets.fileName])
    }

    @Test func `a rotation signs with both, the newest first, and is ended`() throws {
        let old = try WebhookSecrets.loadOrCreate(path: path)
        let both = try WebhookSecrets.rotate(path: path)
        #expect(both.texts.count == 2)
        #expect(both.texts[1] == old.texts[0])
        #expect(try WebhookSecrets.load(path: path) == both)
        let body = Array("{}".utf8)
        let parts = both.signature(id: "a", seconds: 1, body: body).split(separator: " ").map(String.init)
        #expect(parts.count == 2)
        #expect(parts[1] == old.signature(id: "a", seconds: 1, body: body))
        let third = try WebhookSecrets.rotate(path: path)
        #expect(third.texts.count == 2)
        #expect(third.texts[1] == both.texts[0])
        let retired = try WebhookSecrets.retire(path: path)
        #expect(retired.texts == [third.texts[0]])
        #expect(TemporaryFolder.permissions(of: path) == 0o600)
        #expect(folder.files == [WebhookSecrets.fileName])
    }

    @Test func `a webhook secret that others may read is refused`() throws {
        _ = try WebhookSecrets.loadOrCreate(path: path)
        unsafe chmod(path, 0o640)
        let error = #expect(throws: ServerSecretError.self) { _ = try WebhookSecrets.loadOrCreate(path: path) }
        #expect(error?.description.contains("mode 0640") == true)
    }

    @Test(arguments: [
        "", "\n", "whsec_", "whsec_AAAA", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-w", "whsec_" + String(repeating: "A", count: 88),
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\nx",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\nwhsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n"
            + "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    ])
    func `a file that is not a list of secrets is refused and not changed`(_ text: String) throws {
        #expect(WebhookSecrets(lines: Array(text.utf8)) == nil)
        #expect(try PrivateFile(path: path).create(Array(text.utf8), temporaryName: ".t"))
        #expect(throws: ServerSecretError.self) { _ = try WebhookSecrets.rotate(path: path) }
        #expect(try PrivateFile(path: path).read(bytesMax: 1024) == Array(text.utf8))
    }

    @Test func `a byte order mark in front of a file is skipped`() throws {
        let text = "\u{feff}" + Self.known
        #expect(WebhookSecrets(lines: Array(text.utf8)) == WebhookSecrets(lines: Array(Self.known.utf8)))
    }

    @Test func `webhook secrets do not show themselves`() throws {
        let secrets = try #require(WebhookSecrets(lines: Array(Self.known.utf8)))
        var dumped = ""
        dump(secrets, to: &dumped)
        #expect(!(dumped + "\(secrets)" + String(reflecting: secrets)).contains("49"))
    }
}
