import Testing

@testable import Encodings

struct TextEncodingTests {
    @Test(
        arguments: [
            ("ISO-8859-1", [0x93, 0xe9, 0x94, 0x80], "“é”€"), ("us-ascii", [0x96], "–"),
            ("ISO-8859-9", [0xdd, 0xfe], "İş"), ("windows-1254", [0x80, 0xfd], "€ı"),
            ("windows-1253", [0xc1, 0xa2], "ΑΆ"), ("ISO-8859-7", [0xc1, 0xb6], "ΑΆ"), ("greek", [0xe1], "α"),
            ("windows-1251", [0xcf, 0xf0], "Пр"), ("win-1251", [0xcf], "П"), ("KOI8-R", [0xee, 0xcf], "Но"),
            ("koi8-u", [0xa4], "є"), ("windows-1255", [0xe7], "ח"), ("iso-8859-8-i", [0xe7], "ח"),
            ("windows-1256", [0xc3, 0x98], "أک"), ("windows-1257", [0xde], "Ž"), ("windows-1258", [0xd0], "Đ"),
            ("windows-874", [0xa2], "ข"), ("TIS-620", [0xa2], "ข"), ("ISO-8859-11", [0xa2], "ข"),
            ("latin2", [0xb3], "ł"), ("ISO-8859-15", [0xa4], "€"), ("macintosh", [0x8e], "é"), ("ibm866", [0x80], "А"),
            ("Shift_JIS", [0x93, 0xfa, 0x87, 0x40], "日①"), ("shift-jis", [0x93, 0xfa], "日"), ("x-sjis", [0xb1], "ｱ"),
            ("EUC-JP", [0xc6, 0xfc, 0xad, 0xa1], "日①"),
            ("ISO-2022-JP", [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x1b, 0x28, 0x42], "日"),
            ("GB2312", [0xd6, 0xd0, 0x81, 0x40], "中丂"), ("gbk", [0xd6, 0xd0], "中"),
            ("GB18030", [0x94, 0x39, 0xda, 0x33], "💩"), ("Big5", [0xa4, 0xa4], "中"), ("big5-hkscs", [0x88, 0x62], "Ê̄"),
            ("EUC-KR", [0xc7, 0xd1, 0x8c, 0x63], "한똠"), ("ks_c_5601-1987", [0xc7, 0xd1], "한"),
            ("utf8", [0xce, 0xb1], "α"), ("UTF-16", [0xb1, 0x03], "α"), ("utf-16be", [0x03, 0xb1], "α"),
            (" UTF_8 ", [0xce, 0xb1], "α"),
        ] as [(String, [UInt8], String)])
    func `a text is read by any name of its encoding, as browsers read it`(
        _ label: String, _ bytes: [UInt8], _ expected: String
    ) throws {
        let read = try #require(TextEncoding(label: label)?.utf8(bytes))
        #expect(String(decoding: read, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        "", "klingon", "utf-7", "iso-2022-kr", "hz-gb-2312", "utf-8//TRANSLIT//", "../../tmp/evil", "utf-32",
    ])
    func `a name that is not in the list opens nothing`(_ label: String) {
        #expect(TextEncoding(label: label) == nil)
    }

    @Test func `the system has each encoding of the list, and reads every byte of it to valid UTF-8`() throws {
        let bytes = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 ^ $0 >> 8) }
        for label in EncodingNames.byLabel.keys.sorted() {
            let encoding = try #require(TextEncoding(label: label))
            let read = try #require(encoding.utf8(bytes), "\(label)")
            #expect(String(validating: read, as: UTF8.self) != nil, "\(label)")
            #expect(read.count <= bytes.count * 4, "\(label)")
            #expect(encoding.utf8([]) == [])
        }
    }

    @Test func `bytes without a meaning are marked, and the text after them is read`() throws {
        let text = try #require(TextEncoding(label: "windows-1253")?.utf8([0xc1, 0xd2, 0xc2]))
        #expect(String(decoding: text, as: UTF8.self) == "Α\u{fffd}Β")
        let cut = try #require(TextEncoding(label: "Shift_JIS")?.utf8([0x41, 0x93]))
        #expect(String(decoding: cut, as: UTF8.self) == "A\u{fffd}")
        let long = try #require(TextEncoding(label: "latin1")?.utf8([UInt8](repeating: 0xe9, count: 100_000)))
        #expect(String(decoding: long, as: UTF8.self) == String(repeating: "é", count: 100_000))
    }

    @Test func `characters that Unicode does not have are marked`() throws {
        let text = try #require(TextEncoding(label: "utf-8")?.utf8([0x41, 0xfa, 0xb1, 0xa4, 0xa4, 0xb1, 0x42]))
        let characters = try #require(String(validating: text, as: UTF8.self))
        #expect(characters.first == "A" && characters.last == "B" && characters.contains("\u{fffd}"))
    }

    @Test func `names are known by their letters and digits alone`() {
        #expect(TextEncoding(label: "Windows1252")?.name == "windows-1252")
        #expect(TextEncoding(label: "ISO_8859-1:1987")?.name == "windows-1252")
        #expect(TextEncoding(label: "iso-8859-11")?.name == "windows-874")
        #expect(TextEncoding(label: "utf-8")?.name == TextEncoding.utf8Name)
        #expect(TextEncoding(label: "big5")?.width == .many && TextEncoding(label: "latin1")?.width == .one)
    }
}
