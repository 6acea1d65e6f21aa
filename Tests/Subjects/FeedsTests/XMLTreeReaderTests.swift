import Testing

@testable import Feeds

/// Hostile and odd XML.
struct XMLTreeReaderTests {
    static func read(_ text: String, charset: String? = nil) throws -> XMLElement {
        try XMLDocument(Array(text.utf8), charset: charset).root
    }

    @Test func `elements, attributes and texts are a tree`() throws {
        let root = try Self.read("<a x='1'>b<c:d y='&amp;'/>e<![CDATA[<f>]]>&#x20AC;</a>")
        #expect(root.name == "a")
        #expect(root.attributes == ["x": "1"])
        #expect(root.text == "b  e<f>€")
        #expect(root.first("c:d")?.attributes == ["y": "&"])
        #expect(root.first(local: "d")?.localName == "d")
    }

    @Test func `entities that are declared are refused before one is expanded`() throws {
        var laughs = "<!DOCTYPE a [<!ENTITY l0 \"lol\">"
        for level in 1..<20 {
            laughs += "<!ENTITY l\(level) \"" + String(repeating: "&l\(level - 1);", count: 10) + "\">"
        }
        #expect(throws: XMLProblem.declarations) { try Self.read(laughs + "]><a>&l19;</a>") }
        let quadratic = "<!DOCTYPE a [<!ENTITY b \"" + String(repeating: "b", count: 100_000) + "\">]><a>&b;</a>"
        #expect(throws: XMLProblem.declarations) { try Self.read(quadratic) }
    }

    @Test(arguments: [
        #"<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>"#,
        #"<!DOCTYPE a [<!ENTITY x SYSTEM "http://127.0.0.1/x">]><a>&x;</a>"#,
        #"<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1/x"> %x;]><a/>"#,
        #"<!DOCTYPE a SYSTEM "file:///etc/passwd" [<!ELEMENT a ANY>]><a/>"#,
    ])
    func `external entities are refused with the declarations that name them`(_ text: String) {
        #expect(throws: XMLProblem.declarations) { try Self.read(text) }
    }

    @Test func `an outside grammar is named and not fetched, and its entities are HTML's`() throws {
        let text = """
            <!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://127.0.0.1:9/rss-0.91.dtd">
            <rss>caf&eacute;&nbsp;&unknown;x</rss>
            """
        #expect(try Self.read(text).text == "café\u{a0} x")
        #expect(try Self.read("<a>caf&eacute;</a>").text == "café")
    }

    @Test func `depth and number of elements are bounded`() throws {
        let deep = String(repeating: "<a>", count: 100_000)
        #expect(throws: XMLProblem.tooDeep) { try Self.read(deep) }
        let wide = "<r>" + String(repeating: "<a/>", count: 100_000) + "</r>"
        #expect(throws: XMLProblem.tooManyElements) { try Self.read(wide) }
        let allowed = String(repeating: "<a>", count: 64) + String(repeating: "</a>", count: 64)
        #expect(try Self.read(allowed).name == "a")
    }

    @Test func `ten megabytes of text are read in bounded time`() throws {
        let text = "<a>" + String(repeating: "&lt;x\n", count: 10 << 20 / 6) + "</a>"
        let took = try ContinuousClock().measure { _ = try Self.read(text) }
        #expect(took < .seconds(20))
        let names = "<a " + (0..<20_000).map { "a\($0)='x'" }.joined(separator: " ") + "/>"
        #expect(try Self.read(names).attributes.count == 20_000)
    }

    @Test(arguments: [
        "", " ", "<", "<a>", "<a></b>", "<a><b></a>", "{}", "<a x='1/>", "\u{0}", "<!-- a -->", "<?xml version='1.0'?>",
    ])
    func `a text that is not XML is refused with a line`(_ text: String) throws {
        let problem = try #require(throws: XMLProblem.self) { try Self.read(text) }
        guard case .malformed(let reason, let line) = problem else {
            Issue.record("\(problem)")
            return
        }
        #expect(!reason.isEmpty && line >= 1)
    }

    @Test func `a document that ends within a character is refused`() {
        #expect(throws: XMLProblem.self) { try XMLDocument([0x3c, 0x61, 0x3e, 0xff, 0xfe, 0x3c], charset: nil).root }
        let cut = Array("<a>é</a>".utf8.prefix(4))
        #expect(throws: XMLProblem.self) { try XMLDocument(cut, charset: "utf-8").root }
    }

    @Test(arguments: [
        ("windows-1253", [0xc1, 0xed, 0xe1, 0xea, 0xdf, 0xed, 0xf9, 0xf3, 0xe7, 0xa2] as [UInt8], "ΑνακίνωσηΆ"),
        ("ISO-8859-7", [0xc1, 0xed, 0xe1, 0xea, 0xdf, 0xed, 0xf9, 0xf3, 0xe7, 0xb6], "ΑνακίνωσηΆ"),
        ("ISO-8859-1", [0xe9, 0xdf], "éß"),
        ("windows-1252", [0x80, 0x93], "€“"),
        ("ISO-8859-2", [0xb3, 0xb1], "łą"),
        ("windows-1250", [0xb3, 0xb9], "łą"),
    ])
    func `older encodings are read, as the document or the transport says`(
        _ name: String, _ bytes: [UInt8], _ expected: String
    ) throws {
        let declared = Array("<?xml version=\"1.0\" encoding=\"\(name)\"?><a>".utf8) + bytes + Array("</a>".utf8)
        #expect(try XMLDocument(declared, charset: nil).root.text == expected)
        #expect(try XMLDocument(declared, charset: "utf-8").root.text == expected, "the transport was wrong")
        let bare = Array("<a>".utf8) + bytes + Array("</a>".utf8)
        #expect(try XMLDocument(bare, charset: name.lowercased()).root.text == expected)
    }

    @Test func `UTF-16 and marks of byte order are read`() throws {
        var bytes: [UInt8] = [0xff, 0xfe]
        for unit in "<a>Ω</a>".utf16 { bytes += [UInt8(unit & 0xff), UInt8(unit >> 8)] }
        #expect(try XMLDocument(bytes, charset: "iso-8859-1").root.text == "Ω")
        #expect(try XMLDocument([0xef, 0xbb, 0xbf] + Array("<a>Ω</a>".utf8), charset: "iso-8859-7").root.text == "Ω")
    }

    @Test func `every document cut short is refused or read, and nothing else happens`() {
        let whole = Array("<?xml version='1.0'?><!DOCTYPE a><a b='c'>&amp;<d><![CDATA[e]]></d><!-- f --></a>".utf8)
        for count in whole.indices {
            #expect(throws: XMLProblem.self) { try XMLDocument(Array(whole[..<count]), charset: nil).root }
        }
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 1 << (index % 8)
            _ = try? XMLDocument(changed, charset: nil).root
        }
    }
}
