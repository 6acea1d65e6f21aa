import Authentication
import Testing

@Suite struct Base64URLTests {
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"), ("\u{3e}\u{3f}~\u{7f}", "Pj9-fw"),
    ])
    func `the values of RFC 4648, without padding`(plain: String, text: String) {
        #expect(Base64URL.encode(Array(plain.utf8)) == Array(text.utf8))
        #expect(Base64URL.decode(Array(text.utf8)) == Array(plain.utf8))
    }

    @Test func `what is encoded is read back, at every length`() {
        for length in 0..<200 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ length) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: [
        "A", "AAAAA", "Zg=", "Zg==", "Zm8=", "Zh", "Zm9", "Z g", "Zg\n", "+/+/", "Zm9v.", "Zg\0", "Zm9vé",
    ])
    func `padding, other alphabets, spaces and left over bits are refused`(text: String) {
        #expect(Base64URL.decode(Array(text.utf8)) == nil)
    }
}
