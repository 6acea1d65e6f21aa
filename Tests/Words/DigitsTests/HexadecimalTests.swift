import Digits
import Testing

@Suite struct HexadecimalTests {
    @Test func `all bytes are written in two small digits, and read back in any letters`() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = Hexadecimal.encode(bytes)
        #expect(text.starts(with: "000102".utf8) && text.suffix(4) == ArraySlice("feff".utf8))
        #expect(Hexadecimal.decode(text[...]) == bytes)
        #expect(Hexadecimal.decode(Array(String(decoding: text, as: UTF8.self).uppercased().utf8)[...]) == bytes)
    }

    @Test func `22 characters are digits, and no other`() {
        let digits = (UInt8.min...UInt8.max).filter { Hexadecimal.value(of: $0) != nil }
        #expect(digits == Array("0123456789ABCDEFabcdef".utf8))
        #expect(digits.compactMap(Hexadecimal.value) == Array(0...15) + Array(10...15))
    }

    @Test(arguments: ["0", "abc", "0x", "g0", "0g", " 0", "00\n"])
    func `other characters and odd numbers of digits are refused`(text: String) {
        #expect(Hexadecimal.decode(Array(text.utf8)[...]) == nil)
    }
}
