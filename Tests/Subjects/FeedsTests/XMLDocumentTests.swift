import Encodings
import Testing

@testable import Feeds

/// Documents with mistakes, and in encodings that they name wrongly or not at all.
struct XMLDocumentTests {
    static func read(_ bytes: [UInt8], charset: String? = nil) throws -> XMLDocument {
        try XMLDocument(bytes, charset: charset)
    }

    static func text(_ text: String) throws -> String { try read(Array(text.utf8)).root.text }

    @Test(arguments: [
        "\n", "  \r\n\r\n", "\u{feff}", "\u{feff}\n", "\n\u{feff}", "\u{feff}\u{feff}", "\t", "<!-- cached -->\n",
        "<br />\n<b>Warning</b>: session_start() in <b>/x.php</b>\n", "Notice: x\n", "\u{0}", "\u{1}\n",
    ])
    func `a document is read whatever stands before its declaration`(_ before: String) throws {
        #expect(try Self.text(before + "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a>é</a>") == "é")
    }

    @Test(arguments: [
        ("a\u{b}b", "a b"), ("a\u{8}b", "ab"), ("a&#8;b", "ab"), ("a&#x1F;b", "ab"), ("a&#0;b", "ab"),
        ("a\u{0}b", "ab"),
        ("a\u{ffff}b", "ab"), ("a&#xFFFE;b", "ab"), ("a&#xD800;b", "ab"), ("a&#1114112;b", "ab"),
        ("a&#99999999999999999999;b", "ab"), ("R & D", "R & D"), ("AT&T", "AT&T"), ("a&&amp;b", "a&&b"),
        ("a&;b", "a&;b"),
        ("a&#;b", "a&#;b"), ("a&#x;b", "a&#x;b"), ("a&#1a;b", "a&#1a;b"), ("?a=1&b=2", "?a=1&b=2"),
        ("a &nbsp; & b", "a \u{a0} & b"),
        ("1 < 2", "1 < 2"), ("<3", "<3"), ("a <= b", "a <= b"), ("x <- y -- z", "x <- y -- z"),
        ("<!-- a -- b -->c", "c"),
        ("<![CDATA[R & D < \u{8}E]]>", "R & D < E"), ("<?xml version='1.0'?>a", "a"),
        ("a & <![CDATA[&#8;]]>", "a & &#8;"),
    ])
    func `one character that XML does not allow spoils nothing else`(_ content: String, _ expected: String) throws {
        let document = try Self.read(Array("<r><x>\(content)</x><y>after</y></r>".utf8))
        #expect(document.root.first("x")?.text == expected)
        #expect(document.root.first("y")?.text == "after")
    }

    @Test func `a mistake is mended in attributes, too, and the remark names it with its line`() throws {
        let document = try Self.read(Array("\n\n<?xml version='1.0'?>\n<r>\n<x y='?a=1&b=2 < 3'/></r>".utf8))
        #expect(document.root.first("x")?.attributes == ["y": "?a=1&b=2 < 3"])
        #expect(document.remarks == ["its XML has a mistake that was mended (not well-formed (invalid token), line 5)"])
        #expect(try Self.read(Array("<r>&amp;&nbsp;</r>".utf8)).remarks == [])
    }

    @Test(arguments: [
        ("<x y=false>", "false"), ("<x y = a&b>", "a&b"), ("<x y=/a/b/>", "/a/b"), ("<x y=\"a<b>c\">", "a<b>c"),
        ("<x y='it\"s' z=1>", "it\"s"), ("<x y=a\"b>", "a\"b"), ("<x\n y=a\n z=b\n>", "a"), ("<x y=\u{8}a>", "a"),
        ("<x y=>", ""), ("<x y=https://e.org/?a=1&b=2>", "https://e.org/?a=1&b=2"),
    ])
    func `a value without quotes gets them`(_ tag: String, _ expected: String) throws {
        let end = tag.hasSuffix("/>") ? "" : "</x>"
        let document = try Self.read(Array("<r>\(tag)\(end)<y>after</y></r>".utf8))
        #expect(document.root.first("x")?.attributes["y"] == expected)
        #expect(document.root.first("y")?.text == "after")
    }

    @Test(arguments: [
        "<a>b</a>\u{0}", "<a>b</a><!--", "<a>b</a>\n<script>x()</script>", "<a>b</a>Warning", "<a>b</a></a>",
    ])
    func `text after the document is ignored`(_ text: String) throws {
        #expect(try Self.text(text) == "b")
    }

    @Test func `XML 1_1 and a second declaration are read`() throws {
        #expect(try Self.text("<?xml version='1.1' encoding='utf-8'?><a>b&#1;c</a>") == "bc")
        #expect(try Self.text("<?xml version='1.0'?><?xml version='1.0'?><a>b</a>") == "b")
    }

    @Test(
        arguments: [
            ([0x43, 0x61, 0x66, 0xe9], "Café"), ([0xce, 0xb1, 0xe9, 0xce, 0xb2], "αéβ"), ([0x93, 0x61, 0x94], "“a”"),
            ([0xce, 0xb1, 0xff, 0xfe, 0xfd, 0xfc, 0xce, 0xb2], "α\u{fffd}β"), ([0xce, 0xb1, 0xce], "αÎ"),
            ([0xce, 0xb1, 0xed, 0xa0, 0x80, 0xce, 0xb2], "α\u{fffd}β"), ([0xce, 0xb1, 0xc0, 0x80], "αÀ€"),
        ] as [([UInt8], String)])
    func `a byte that is not UTF-8 is a Western character alone, and unreadable among others`(
        _ content: [UInt8], _ expected: String
    ) throws {
        let document = try Self.read(Array("<?xml version='1.0'?><a>".utf8) + content + Array("</a>".utf8))
        #expect(document.root.text == expected)
        #expect(document.remarks.first?.hasSuffix("of its bytes are not UTF-8") == true)
    }

    @Test func `words of odd bytes without a name of their encoding are refused, not guessed`() {
        let greek: [UInt8] = [0xc1, 0xed, 0xe1, 0xea, 0xdf, 0xed, 0xf9, 0xf3, 0xe7]
        for declaration in ["", "<?xml version='1.0'?>", "<?xml version='1.0' encoding='UTF-8'?>"] {
            #expect(throws: XMLProblem.notUTF8) {
                try Self.read(Array("\(declaration)<a>".utf8) + greek + Array("</a>".utf8))
            }
        }
        #expect(throws: XMLProblem.unknownEncoding("klingon")) {
            try Self.read(Array("<?xml version='1.0' encoding='klingon'?><a>".utf8) + greek + Array("</a>".utf8))
        }
    }

    /// The document in an encoding of its own, and the names that the document and the transport give it.
    static func document(_ content: [UInt8], declared: String?) -> [UInt8] {
        let declaration = declared.map { "<?xml version=\"1.0\" encoding=\"\($0)\"?>" } ?? "<?xml version=\"1.0\"?>"
        return Array("\(declaration)<a>".utf8) + content + Array("</a>".utf8)
    }

    @Test(
        arguments: [
            // A right name of the document, with a transport that says nothing, the same, or Latin-1 of everything.
            ("ISO-8859-9", nil, [0xdd, 0xfe], "İş"), ("windows-1253", "ISO-8859-1", [0xc1, 0xed, 0xe1], "Ανα"),
            ("windows-1253", "utf-8", [0xc1, 0xed, 0xe1], "Ανα"), ("Shift_JIS", "us-ascii", [0x93, 0xfa], "日"),
            ("EUC-KR", nil, [0xc7, 0xd1], "한"), ("utf8", "windows-1253", [0xc1, 0xed, 0xe1], "Ανα"),
            // The transport alone, and against the document.
            (nil, "koi8-r", [0xee, 0xcf], "Но"), (nil, "iso-8859-1", [0xe9, 0x80], "é€"),
            ("windows-1251", "koi8-r", [0xee, 0xcf], "Но"), ("klingon", "windows-1251", [0xcf], "П"),
            // UTF-8 under every other name.
            ("ISO-8859-1", nil, [0xce, 0xb1], "α"), ("UTF-8", "ISO-8859-1", [0xce, 0xb1], "α"),
            ("windows-1253", "windows-1253", [0xce, 0xb1], "α"), ("klingon", nil, [0xce, 0xb1], "α"),
            ("GB2312", nil, [0xe4, 0xb8, 0xad], "中"), ("utf-16", nil, [0xce, 0xb1], "α"),
            ("utf8", nil, [0xce, 0xb1], "α"),
            ("Shift_JIS", "EUC-JP", [0xe6, 0x97, 0xa5], "日"),
            // Mostly UTF-8, under the name that Apache gives everything.
            ("UTF-8", "ISO-8859-1", Array("αβγδεζ".utf8) + [0xe9], "αβγδεζé"),
            (nil, "windows-1253", Array("αβγδεζ".utf8) + [0xe9], "αβγδεζé"),
            // Two bytes of Chinese that look like one character of UTF-8.
            ("GB2312", nil, [0xc4, 0xa3], "模"),
            ("ISO-2022-JP", nil, [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x1b, 0x28, 0x42], "日"),
            (nil, "iso-2022-jp", [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x1b, 0x28, 0x42], "日"),
        ] as [(String?, String?, [UInt8], String)])
    func `the bytes count more than names, and the document's name more than the usual one of servers`(
        _ declared: String?, _ charset: String?, _ content: [UInt8], _ expected: String
    ) throws {
        #expect(try Self.read(Self.document(content, declared: declared), charset: charset).root.text == expected)
    }

    @Test func `a document in UTF-8 under another name is remarked, and one of ASCII alone is not`() throws {
        let document = try Self.read(Self.document([0xce, 0xb1], declared: "ISO-8859-7"))
        #expect(document.remarks == ["it calls its encoding ISO-8859-7 and is in UTF-8"])
        #expect(try Self.read(Self.document([0x61], declared: "ISO-8859-7")).remarks == [])
        #expect(try Self.read(Self.document([0xce, 0xb1], declared: "utf-16")).remarks == [])
    }

    @Test(arguments: [
        "windows-1250", "windows-1251", "windows-1252", "windows-1253", "ISO-8859-2", "ISO-8859-7", "ISO-8859-15",
    ])
    func `a system without iconv's files reads these encodings by tables, which have the same characters`(
        _ name: String
    ) throws {
        // Below 0xA0 the ISO encodings have control characters, which are no text.
        let bytes = (0x00...0xff).filter { name.hasPrefix("w") || !(0x80...0x9f).contains($0) }.map { UInt8($0) }
        #expect(CodePage.utf8(bytes, from: name) == TextEncoding(label: name)?.utf8(bytes))
        #expect(CodePage.utf8(bytes, from: "Big5") == nil)
    }

    @Test(arguments: [true, false], [true, false])
    func `UTF-16 is read with and without a mark, and after white space`(_ isBig: Bool, _ isMarked: Bool) throws {
        let text = (isMarked ? "\u{feff}" : "") + "<?xml version='1.0' encoding='utf-16'?><a>Ω💩 & b</a>"
        let bytes = text.utf16.flatMap {
            isBig ? [UInt8($0 >> 8), UInt8($0 & 0xff)] : [UInt8($0 & 0xff), UInt8($0 >> 8)]
        }
        #expect(try Self.read(bytes, charset: "iso-8859-1").root.text == "Ω💩 & b")
        #expect(try Self.read(bytes + [0x20], charset: nil).root.text == "Ω💩 & b", "half a character at the end")
    }

    @Test func `entities that are declared are refused in a document that must be mended, too`() {
        let text = "\u{1}<?xml version='1.0'?><!-- -- --><!DOCTYPE a [<!ENTITY b 'c'>]><a>&b; & \u{8}</a>"
        #expect(throws: XMLProblem.declarations) { try Self.read(Array(text.utf8)) }
    }

    @Test(arguments: ["<", "&", "<!--", "<![CDATA[", "&#", "<?", "\u{1}", "]]>", "<!", "&a", "\u{ffff}"])
    func `a megabyte of one mistake takes little time`(_ piece: String) {
        let bytes = Array(("<a>" + String(repeating: piece, count: (1 << 20) / piece.utf8.count) + "</a>").utf8)
        let took = ContinuousClock().measure { _ = try? Self.read(bytes) }
        #expect(took < .seconds(20))
    }
}
