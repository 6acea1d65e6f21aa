import Crypto
import Foundation
import JSON
import Model
import TestSupport
import Testing
@testable import Authentication

struct APNsTokenFileTests {
    private let folder = TemporaryFolder()
    private let key: SigningKey
    private let file: APNsTokenFile

    init() throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        key = try SigningKey(.es256)
        file = APNsTokenFile(inFolder: folder.path)
    }

    private func token(_ claims: JSONValue = ["iss": "TEAM", "iat": 1_795_600_800]) throws -> String {
        try JSONWebToken.sign(claims, keyID: "KEY", with: key)
    }

    private var found: APNsTokenFile.Found { file.load(signedWith: key, keyID: "KEY", team: "TEAM") }

    @Test func `a token that was kept is found again, in a file for its owner alone`() throws {
        #expect(found == .nothing)
        try file.keep("earlier")
        let token = try token()
        try file.keep(token)
        #expect(found == .token(token, made: Timestamp(milliseconds: 1_795_600_800_000)))
        #expect(TemporaryFolder.permissions(of: file.path) == 0o600)
        #expect(folder.files == [APNsTokenFile.fileName])
    }

    @Test func `a token of another key, key id or team is not used`() throws {
        try file.keep(try token())
        let others = [
            file.load(signedWith: try SigningKey(.es256), keyID: "KEY", team: "TEAM"),
            file.load(signedWith: key, keyID: "OTHER", team: "TEAM"),
            file.load(signedWith: key, keyID: "KEY", team: "OTHER"),
        ]
        for other in others { #expect(other == .unusable(reason: "\(file.path) is from another key, key id or team")) }
    }

    @Test func `a file that has no token for APNs is not used`() throws {
        for content in ["", "a.b", "a.b.c", try token(["iss": "TEAM"]), try token(["iss": "TEAM", "iat": -1])] {
            try file.keep(content)
            #expect(found == .unusable(reason: "\(file.path) is not a token for APNs"), "\(content)")
        }
    }

    @Test func `a file that others can read is not used`() throws {
        try file.keep(try token())
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        guard case .unusable(let reason) = found else { return #expect(Bool(false), "\(found)") }
        #expect(reason.contains("open to others"))
    }
}
