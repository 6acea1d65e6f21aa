import Digits
import Testing

@testable import Crypto

@Suite struct DigestTests {
    private static func hex(_ bytes: [UInt8]) -> String { String(decoding: Hexadecimal.encode(bytes), as: UTF8.self) }

    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11", "b37a4f2cc0624f1690f64606cf385945b2bec4ea"),
    ])
    func `SHA-1 gives the values of FIPS 180 and RFC 6455`(text: String, digest: String) {
        #expect(Self.hex(Digest.sha1(Array(text.utf8))) == digest)
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func `SHA-256 gives the values of FIPS 180`(text: String, digest: String) {
        #expect(Self.hex(Digest.sha256(Array(text.utf8))) == digest)
    }

    @Test(arguments: [
        (
            Array(repeating: UInt8(0x0b), count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            Array(repeating: UInt8(0xaa), count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        ([], "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ])
    func `HMAC gives the values of RFC 4231, and takes an empty key`(key: [UInt8], message: String, code: String) {
        #expect(Self.hex(HMAC.sha256(key: key, message: Array(message.utf8))) == code)
        // The same in parts, many times with one key.
        let (authenticator, bytes) = (MessageAuthenticator(key: key), Array(message.utf8))
        for cut in bytes.indices {
            #expect(Self.hex(authenticator.code(of: bytes[..<cut], [], bytes[cut...])) == code)
        }
        #expect(Self.hex(authenticator.code(of: bytes[...])) == code)
    }

    @Test(
        arguments: [
            (
                Array(0...12), Array(0xf0...0xf9),
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
            ),
            ([], [], "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"),
        ] as [([UInt8], [UInt8], String)])
    func `derived keys are the beginning of those of RFC 5869`(salt: [UInt8], info: [UInt8], key: String) {
        let keys = HKDF(salt: salt, secret: Array(repeating: 0x0b, count: 22))
        for count in 1...32 { #expect(Self.hex(keys.key(for: info, count: count)) == key.prefix(2 * count)) }
    }

    @Test func `comparing tells any difference of bytes or length`() {
        let bytes = Array(UInt8(0)...31)
        #expect(constantTimeEqual(bytes, bytes))
        #expect(constantTimeEqual([], []))
        #expect(!constantTimeEqual(bytes, bytes + [0]))
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            #expect(!constantTimeEqual(bytes, other))
        }
    }

    @Test func `random bytes come in the number asked for and never twice`() throws {
        #expect(try SecureRandom.bytes(0) == [])
        #expect(try SecureRandom.bytes(33).count == 33)
        #expect(try SecureRandom.bytes(32) != SecureRandom.bytes(32))
    }

    @Test func `an error says OpenSSL's line`() {
        #expect(TLSError(code: 0x1200_006C).description.hasPrefix("error:1200006C:"))
    }
}
