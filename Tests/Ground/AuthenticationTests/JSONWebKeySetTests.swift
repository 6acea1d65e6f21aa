import Authentication
import Crypto
import Foundation
import JSON
import Testing

@Suite struct JSONWebKeySetTests {
    private static let ec = Published.examples[1].key
    private static let rsa = Published.examples[0].key

    @Test func `kinds, algorithms and uses that are not ours are skipped`() throws {
        let others = [
            #"{"kty":"oct","k":"c2VjcmV0"}"#, #"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#,
            #"{"kty":"OKP","crv":"X25519","x":"AA"}"#, #"{"kty":"EC"}"#, #"{"kty":"FUTURE","new":{}}"#,
            adding(#""use":"enc""#), adding(#""alg":"ES512""#), adding(#""alg":"ECDH-ES""#),
            adding(#""key_ops":["sign"]"#), adding(#""key_ops":[]"#),
        ]
        let good = [adding(#""kid":"a","use":"sig","alg":"ES256","key_ops":["verify"],"x5t":"x""#), Self.rsa]
        let keys = try JSONWebKeySet(parsing: set(others + good)).keys
        #expect(keys.map(\.keyID) == ["a", nil])
        #expect(keys.map(\.key.algorithm) == [.es256, .rs256])
    }

    @Test(
        arguments: [
            ("", "it is not a JSON Web Key Set: "), ("[]", "it is not a JSON Web Key Set: it has no array keys"),
            (#"{"keys":{}}"#, "it is not a JSON Web Key Set: it has no array keys"),
            (#"{"keys":[]} x"#, "it is not a JSON Web Key Set: "),
            (#"{"keys":[],"keys":[]}"#, "it is not a JSON Web Key Set: "),
            (#"{"keys":[7]}"#, "it is not a JSON Web Key Set: key 1 is not an object"),
            (#"{"keys":[]}"#, "it has no key for RS256, ES256 or EdDSA signatures"),
            (#"{"keys":[{"kty":"oct","k":"AA"}]}"#, "it has no key for RS256"),
            (#"{"keys":[{}]}"#, "key 1: its member kty is missing or wrong"),
            (#"{"keys":[{"kty":7}]}"#, "key 1: its member kty is missing or wrong"),
            (#"{"keys":[{"kty":"RSA","n":"AQAB"}]}"#, "key 1: its member e is missing or wrong"),
            (#"{"keys":[{"kty":"RSA","n":"AQ==","e":"AQAB"}]}"#, "key 1: its member n is missing or wrong"),
            (#"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}"#, "key 1: its modulus has 17 bits, 2048 to 8192 are"),
            (#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AQAB"}]}"#, "key 1: it has 3 bytes instead of 32"),
            (#"{"keys":[{"kty":"OKP","crv":7,"x":"AQAB"}]}"#, "key 1: its member crv is missing or wrong"),
            ("SET kid 7", "key 1: its member kid is missing or wrong"),
            ("SET use 7", "key 1: its member use is missing or wrong"),
            ("SET key_ops 7", "key 1: its member key_ops is missing or wrong"),
            ("SET d \"AA\"", "key 1: it is a private key: publish the public half alone, and make a new pair"),
        ]
    )
    func `a text that is not a set of keys is refused with its fault`(text: String, sentence: String) {
        var text = text
        if text.hasPrefix("SET ") {
            let words = text.split(separator: " ")
            text = #"{"keys":[\#(adding(#""\#(words[1])":\#(words[2])"#))]}"#
        }
        let problem = #expect(throws: JSONWebKeySet.Problem.self) { _ = try JSONWebKeySet(parsing: Array(text.utf8)) }
        #expect(problem?.description.hasPrefix(sentence) == true, "\(problem?.description ?? "")")
    }

    @Test func `two keys of one name are refused, and of no name accepted`() throws {
        let named = adding(#""kid":"a""#)
        #expect(throws: JSONWebKeySet.Problem.nameTwice("a")) { _ = try JSONWebKeySet(parsing: set([named, named])) }
        #expect(try JSONWebKeySet(parsing: set([Self.ec, Self.rsa])).keys.count == 2)
    }

    @Test func `a set without end is refused`() {
        #expect(throws: JSONWebKeySet.Problem.tooMany) {
            _ = try JSONWebKeySet(parsing: set(Array(repeating: #"{"kty":"x"}"#, count: 65)))
        }
        #expect(throws: JSONWebKeySet.Problem.tooLong) {
            _ = try JSONWebKeySet(parsing: Array(repeating: UInt8(ascii: " "), count: JSONWebKeySet.bytesMax + 1))
        }
    }

    @Test func `a file is read again when it has changed, and a bad one is reported once`() throws {
        let path = NSTemporaryDirectory() + "/watchwise-keys-\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        var file = KeySetFile(path: path)
        #expect(throws: KeySetFile.Problem.self) { _ = try file.readIfChanged() }
        try put(set([Self.ec]), at: path)
        #expect(try file.readIfChanged()?.keys.count == 1)
        #expect(try file.readIfChanged() == nil)
        try put(set([Self.ec, Self.rsa]), at: path)
        #expect(try file.readIfChanged()?.keys.count == 2)
        try put(Array("{".utf8), at: path)
        let problem = #expect(throws: KeySetFile.Problem.self) { _ = try file.readIfChanged() }
        #expect(problem?.description.hasPrefix("\(path): it is not a JSON Web Key Set: ") == true)
        #expect(try file.readIfChanged() == nil)
        try put(set([Self.rsa]), at: path)
        #expect(try file.readIfChanged()?.keys[0].key.algorithm == .rs256)
    }

    private func put(_ bytes: [UInt8], at path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    private func set(_ entries: [String]) -> [UInt8] {
        Array(#"{"keys":[\#(entries.joined(separator: ","))],"more":1}"#.utf8)
    }

    /// The key of P-256 with further members.
    private func adding(_ members: String) -> String { Self.ec.dropLast() + "," + members + "}" }
}
