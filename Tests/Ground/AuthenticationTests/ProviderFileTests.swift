import Crypto
import Foundation
import JSON
import TestSupport
import Testing
@testable import Authentication

/// The files that Apple and Google give to operators.
@Suite(.enabled(if: Certificates.made != nil, Comment(rawValue: Certificates.isMissing)))
struct ProviderFileTests {
    private let folder = TemporaryFolder()
    private let keys: Certificates

    init() throws {
        keys = try #require(Certificates.made)
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    }

    /// A service account, with members changed; nil removes one.
    private func account(_ changes: [String: JSONValue?] = [:]) throws -> String {
        let pem = try String(contentsOfFile: keys.key("rsa"), encoding: .utf8)
        var account: JSONValue = [
            "type": "service_account", "project_id": "film-night", "private_key_id": "0a1b2c",
            "private_key": .string(pem), "client_email": "push@film-night.iam.gserviceaccount.com", "client_id": "107",
            "token_uri": "https://oauth2.googleapis.com/token", "universe_domain": "googleapis.com",
        ]
        for (name, value) in changes { account[name] = value }
        return try written(account.text)
    }

    private func written(_ text: String) throws -> String {
        let path = folder.path + "/account.json"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func `the key of APNs signs with ES256`() throws {
        let key = try APNsKey(path: keys.key("ec"))
        #expect(key.key.algorithm == .es256)
        #expect(!key.isOpenToOthers)
    }

    @Test(arguments: ["rsa", "ed25519", "encrypted", "text"])
    func `another file is no key of APNs, and the sentence says what one is`(_ name: String) {
        let path = keys.key(name)
        let problem = #expect(throws: ProviderFileProblem.self) { try APNsKey(path: path) }
        #expect(problem?.description.hasPrefix(path + " is not a key for APNs") == true)
        #expect(problem?.description.contains("AuthKey_….p8") == true)
    }

    @Test func `a file that is not there or too long is refused`() throws {
        let path = folder.path + "/none.p8"
        let problem = #expect(throws: ProviderFileProblem.self) { try APNsKey(path: path) }
        #expect(problem?.description == "\(path): open failed: No such file or directory")
        let long = try written(String(repeating: " ", count: 70_000))
        #expect(throws: ProviderFileProblem.self) { try FCMAccount(path: long) }
    }

    @Test func `a service account has a project, a name, a key and the address of its tokens`() throws {
        let account = try FCMAccount(path: try account())
        #expect(account.project == "film-night")
        #expect(account.email == "push@film-night.iam.gserviceaccount.com")
        #expect(account.keyID == "0a1b2c")
        #expect(account.tokenURL == "https://oauth2.googleapis.com/token")
        #expect(account.key.algorithm == .rs256)
    }

    @Test(
        arguments: [
            ("type", "authorized_user"), ("type", nil), ("project_id", nil), ("project_id", "film/night"),
            ("project_id", 7),
            ("client_email", nil), ("client_email", "push"), ("token_uri", nil),
            ("token_uri", "http://oauth2.example.org/token"), ("private_key", nil), ("private_key", "-----BEGIN"),
        ] as [(String, JSONValue?)])
    func `a service account without a member is refused, and the member is named`(
        _ name: String, _ value: JSONValue?
    ) throws {
        let path = try account([name: value])
        let problem = #expect(throws: ProviderFileProblem.self) { try FCMAccount(path: path) }
        #expect(problem?.description.hasPrefix("\(path) has no \"\(name)\"") == true, "\(problem?.description ?? "")")
    }

    @Test func `a key of another kind is refused, and never shown`() throws {
        let pem = try String(contentsOfFile: keys.key("ec"), encoding: .utf8)
        let path = try account(["private_key": .string(pem)])
        let problem = #expect(throws: ProviderFileProblem.self) { try FCMAccount(path: path) }
        #expect(problem?.description.contains("a private key of RSA") == true)
        #expect(problem?.description.contains("BEGIN") == false)
    }

    @Test func `tokens of a test server come from this machine without TLS`() throws {
        let path = try account(["token_uri": "http://127.0.0.1:8090/token"])
        #expect(try FCMAccount(path: path).tokenURL == "http://127.0.0.1:8090/token")
    }

    @Test(arguments: ["", "{", "[]", "key"])
    func `a text that is not a service account is refused`(_ text: String) throws {
        let path = try written(text)
        let problem = #expect(throws: ProviderFileProblem.self) { try FCMAccount(path: path) }
        #expect(problem?.description.contains("from the Firebase console") == true)
    }

    @Test(arguments: [(0o600, false), (0o640, false), (0o644, true)])
    func `a file that every user can read is noticed, one that its group can read is not`(
        _ mode: Int, _ isOpen: Bool
    ) throws {
        let path = try account()
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        #expect(try FCMAccount(path: path).isOpenToOthers == isOpen)
    }
}
