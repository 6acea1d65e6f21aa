import Digits
import Testing

@Suite struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"), ("\u{3e}\u{3f}~\u{7f}", "Pj9-fw"),
    ])
    func `the values of RFC 4648 for addresses, without padding`(plain: String, text: String) {
        #expect(Base64.url.text(of: Array(plain.utf8)) == text)
        #expect(Base64.url.decode(Array(text.utf8)) == Array(plain.utf8))
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"), ("\u{3e}\u{3f}~\u{7f}", "Pj9+fw=="), ("???", "Pz8/"),
    ])
    func `the values of RFC 4648 with padding`(plain: String, text: String) {
        #expect(Base64.padded.text(of: Array(plain.utf8)) == text)
        #expect(Base64.padded.decode(Array(text.utf8)) == Array(plain.utf8))
    }

    @Test(arguments: [Base64.padded, .url])
    func `encoded bytes are read back, at every length`(form: Base64) {
        for length in 0..<200 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ length) }
            #expect(form.decode(form.encode(bytes)) == bytes)
            #expect(form.decode(form.encode(bytes), ignoresRest: true) == bytes)
        }
    }

    @Test(arguments: [
        "A", "AAAAA", "Zg=", "Zg==", "Zm8=", "Zh", "Zm9", "Z g", "Zg\n", "+/+/", "Zm9v.", "Zg\0", "Zm9vé",
    ])
    func `padding, other alphabets, spaces and left over bits are refused`(text: String) {
        #expect(Base64.url.decode(Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "Zm9v=", "Z===", "====", "Zm=v", "Zm 9", "-_-_", "Zh==", "Zm9=", "Zg==\n", "Zg=A",
    ])
    func `padding that is missing or in the wrong place is refused`(text: String) {
        #expect(Base64.padded.decode(Array(text.utf8)) == nil)
    }

    @Test func `bits that belong to no byte may be ignored`() {
        // The key of RFC 6455, section 1.2, ends with such bits.
        let key = Array("AQIDBAUGBwgJCgsMDQ4PEC==".utf8)
        #expect(Base64.padded.decode(key) == nil)
        #expect(Base64.padded.decode(key, ignoresRest: true) == Array(1...16))
    }
}
