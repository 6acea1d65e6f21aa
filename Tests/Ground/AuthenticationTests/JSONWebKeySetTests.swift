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
            (#"{"keys":[]}"#, "it has no key for RS256, ES256 or EdDSA signatures"),
            (#"{"keys":[{"kty":"oct","k":"AA"}]}"#, "it has no key for RS256"),
            (
                #"{"keys":[{"kty":"RSA"},7]}"#,
                "none of its keys can be used: key 1: its member n is missing or wrong; key 2: "
            ),
        ]
    )
    func `a text without a usable key is refused with its fault`(text: String, sentence: String) {
        let problem = #expect(throws: JSONWebKeySet.Problem.self) { _ = try JSONWebKeySet(parsing: Array(text.utf8)) }
        #expect(problem?.description.hasPrefix(sentence) == true, "\(problem?.description ?? "")")
    }

    @Test(
        arguments: [
            ("7", "it is not an object"), ("null", "it is not an object"), ("[]", "it is not an object"),
            ("{}", "its member kty is missing or wrong"), (#"{"kty":7}"#, "its member kty is missing or wrong"),
            (#"{"kty":null}"#, "its member kty is missing or wrong"),
            (#"{"kty":"RSA","x5c":["MIIB"]}"#, "its member n is missing or wrong"),
            (#"{"kty":"RSA","n":"AQAB"}"#, "its member e is missing or wrong"),
            (#"{"kty":"RSA","n":"AQ==","e":"AQAB"}"#, "its member n is missing or wrong"),
            (#"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#, "its modulus has 17 bits, 2048 to 8192 are accepted"),
            (#"{"kty":"OKP","crv":"Ed25519","x":"AQAB"}"#, "it has 3 bytes instead of 32"),
            (#"{"kty":"OKP","crv":7,"x":"AQAB"}"#, "its member crv is missing or wrong"),
            (#"{"kty":"EC","crv":"P-256","x":"AQAB","y":"AQAB"}"#, "it has 3 bytes instead of 32"),
            ("WITH kid 7", "its member kid is missing or wrong"), ("WITH use 7", "its member use is missing or wrong"),
            ("WITH alg 7", "its member alg is missing or wrong"),
            ("WITH key_ops 7", "its member key_ops is missing or wrong"),
            ("WITH d \"AA\"", "it is a private key: publish the public half alone, and make a new pair"),
        ]
    )
    func `a broken entry is skipped with its fault, and the other keys stay usable`(entry: String, sentence: String)
        throws
    {
        var entry = entry
        if entry.hasPrefix("WITH ") {
            let words = entry.split(separator: " ")
            entry = adding(#""\#(words[1])":\#(words[2])"#)
        }
        let keys = try JSONWebKeySet(parsing: set([Self.rsa, entry, adding(#""kid":"good""#)]))
        #expect(keys.keys.map(\.keyID) == [nil, "good"])
        #expect(keys.skipped.map(\.number) == [2])
        #expect(keys.skipped.first?.problem.description == sentence)
    }

    @Test func `a skipped entry is called by its name and its place`() throws {
        let keys = try JSONWebKeySet(parsing: set([#"{"kty":"RSA","kid":"old"}"#, Self.ec]))
        #expect(keys.skipped.map(\.description) == ["key 1 (old): its member n is missing or wrong"])
    }

    @Test func `of two keys that a token cannot tell apart the first is used`() throws {
        let named = adding(#""kid":"a""#)
        let repeated = try JSONWebKeySet(parsing: set([named, named, Self.rsa, Self.rsa]))
        #expect(repeated.keys.map(\.keyID) == ["a", nil])
        #expect(
            repeated.skipped.map(\.description) == [
                "key 2 (a): a key before it has the same name and the same algorithm",
                "key 4: a key before it has the same name and the same algorithm",
            ])
        #expect(try JSONWebKeySet(parsing: set([Self.ec, Self.rsa])).keys.count == 2)
    }

    @Test func `keys of two algorithms may have one name`() throws {
        let rsa = String(Self.rsa.dropLast()) + #","kid":"a"}"#
        let keys = try JSONWebKeySet(parsing: set([adding(#""kid":"a""#), rsa]))
        #expect(keys.keys.map(\.key.algorithm) == [.es256, .rs256])
        #expect(keys.skipped.isEmpty)
    }

    @Test func `a member that is null is a member that is not there`() throws {
        let nulls = adding(#""kid":null,"use":null,"alg":null,"key_ops":null,"d":null"#)
        let keys = try JSONWebKeySet(parsing: set([nulls]))
        #expect(keys.keys.map(\.keyID) == [nil])
        #expect(keys.skipped.isEmpty)
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
