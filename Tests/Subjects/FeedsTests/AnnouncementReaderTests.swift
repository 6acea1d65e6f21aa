import JSON
import Model
import Testing

@testable import Feeds

struct AnnouncementReaderTests {
    static func read(_ text: String, type: String? = "application/rss+xml") throws -> [FeedDraft] {
        try AnnouncementReader(feed: "dept", collection: "announcements").read(Array(text.utf8), contentType: type)
            .drafts
    }

    static func data(_ draft: FeedDraft?) -> JSONObject {
        guard case .put(let data) = draft?.outcome(over: nil) else { return [:] }
        return data
    }

    static let rss = """
        <?xml version="1.0" encoding="UTF-8"?>
        <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom">
        <channel><title>Τμήμα</title><link>https://www.cs.teilar.gr</link>
        <atom:link href="https://www.cs.teilar.gr/rss" rel="self"/>
        <item><title>Exams &amp;amp; &lt;b&gt;results&lt;/b&gt;</title><link>https://www.cs.teilar.gr/2</link>
        <guid isPermaLink="false">cs-2</guid><pubDate>Fri, 20 Nov 2026 12:00:00 +0200</pubDate>
        <description>&lt;p&gt;One&lt;/p&gt;&lt;script&gt;x()&lt;/script&gt;&lt;p&gt;two&amp;nbsp;three&lt;/p&gt;</description>
        </item>
        <item><title>Ανακοίνωση</title><link>https://www.cs.teilar.gr/1?a=b&amp;c=d</link>
        <guid>https://www.cs.teilar.gr/1?a=b&amp;c=d</guid><pubDate>Thu, 19 Nov 26 09:00 EET</pubDate>
        <description/></item>
        </channel></rss>
        """

    @Test func `an RSS feed becomes documents, the oldest first`() throws {
        let drafts = try Self.read(Self.rss)
        #expect(drafts.map(\.path.text).last == "announcements/cs-2")
        #expect(drafts.first?.path.text.hasPrefix("announcements/www.cs.teilar.gr-1-a-b-c-d-") == true)
        #expect(
            Self.data(drafts.last) == [
                "title": "Exams & results", "link": "https://www.cs.teilar.gr/2",
                "published": "2026-11-20T10:00:00.000Z", "summary": "One two three", "attachments": [],
                "feed": "dept",
            ])
        #expect(Self.data(drafts.first)["title"] == "Ανακοίνωση")
        #expect(Self.data(drafts.first)["published"] == "2026-11-19T07:00:00.000Z")
        #expect(try Self.read(Self.rss) == drafts, "the same each time")
    }

    @Test func `an Atom feed becomes documents`() throws {
        let drafts = try Self.read(
            """
            <feed xmlns="http://www.w3.org/2005/Atom"><title>x</title>
            <entry><id>urn:uuid:60a76c80</id><title type="text">1 &lt; 2 &amp;amp; 3</title>
            <link rel="self" href="https://e.org/self"/><link href="https://e.org/1"/>
            <updated>2026-11-20T18:30:02.25+01:00</updated>
            <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Some <b>bold</b> text</div></content></entry>
            <entry><id>2</id><title type="html">&lt;i&gt;A&lt;/i&gt;&amp;amp;B</title><published>2026-11-19T00:00:00Z</published>
            <updated>2026-11-21T00:00:00Z</updated><summary>S</summary><link href="javascript:alert(1)"/></entry>
            </feed>
            """)
        #expect(drafts.map(\.path.text) == ["announcements/2", "announcements/urn:uuid:60a76c80"])
        #expect(Self.data(drafts[1])["title"] == "1 < 2 &amp; 3")
        #expect(Self.data(drafts[1])["link"] == "https://e.org/1")
        #expect(Self.data(drafts[1])["summary"] == "Some bold text")
        #expect(Self.data(drafts[1])["published"] == "2026-11-20T17:30:02.250Z")
        #expect(Self.data(drafts[0])["title"] == "A&B")
        #expect(Self.data(drafts[0])["link"] == .null)
        #expect(Self.data(drafts[0])["published"] == "2026-11-19T00:00:00.000Z")
    }

    @Test func `files of an announcement are listed if they have an address`() throws {
        let item = """
            <rss version="2.0"><channel><item><title>Exam</title><guid>1</guid>
            <enclosure url="https://e.org/a.pdf" type="application/pdf" length="1234"/>
            <enclosure url="https://e.org/b" length="much" type=" "/><enclosure url="javascript:x()"/><enclosure/>
            </item></channel></rss>
            """
        #expect(
            Self.data(try Self.read(item).first)["attachments"] == [
                ["url": "https://e.org/a.pdf", "type": "application/pdf", "bytes": 1234], ["url": "https://e.org/b"],
            ])
        let entry = """
            <feed xmlns="http://www.w3.org/2005/Atom"><entry><id>urn:x:1</id><title>Exam</title>
            <link rel="enclosure" href="https://e.org/a.pdf" type="application/pdf" length="1"/></entry></feed>
            """
        let data = Self.data(try Self.read(entry).first)
        #expect(data["attachments"] == [["url": "https://e.org/a.pdf", "type": "application/pdf", "bytes": 1]])
        #expect(data["link"] == .null)
    }

    @Test func `RSS 1_0 and 0_91 are read, too`() throws {
        let rdf = """
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
            xmlns:dc="http://purl.org/dc/elements/1.1/"><channel/><item rdf:about="https://e.org/1"><title>T</title>
            <link>https://e.org/1</link><dc:date>2026-11-20T10:00:00+01:00</dc:date></item></rdf:RDF>
            """
        #expect(Self.data(try Self.read(rdf).first)["published"] == "2026-11-20T09:00:00.000Z")
        let old = """
            <!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/rss-0.91.dtd">
            <rss version="0.91"><channel><item><title>T&eacute;</title><link>https://e.org/1</link></item></channel></rss>
            """
        let drafts = try Self.read(old)
        #expect(
            Self.data(drafts.first) == [
                "title": "Té", "link": "https://e.org/1", "published": nil, "summary": "", "attachments": [],
                "feed": "dept",
            ])
    }

    @Test
    func `an entry without a guid is known by its link, else by its title and date, and is left out without these`()
        throws
    {
        let drafts = try Self.read(
            """
            <rss><channel><item><title>A</title><pubDate>x</pubDate></item><item><title>A</title></item><item/>
            <item><description>only &lt;em&gt;this&lt;/em&gt;</description></item>
            <item><guid>movie</guid></item><item><guid>../../etc</guid></item><item><guid>dup</guid></item>
            <item><guid>dup</guid></item></channel></rss>
            """)
        #expect(drafts.count == 6)
        #expect(Set(drafts.map(\.path)).count == 6)
        #expect(drafts.allSatisfy { $0.path.levels.count == 1 })
    }

    @Test func `texts are bounded, and one that is all of a megabyte is read`() throws {
        let long = String(repeating: "λέξη ", count: 100_000)
        let draft = try Self.read(
            "<rss><channel><item><guid>\(long)</guid><title>\(long)</title><description>\(long)</description></item></channel></rss>"
        )
        let data = Self.data(draft.first)
        #expect(data["title"]?.stringValue?.count == 300)
        #expect(data["summary"]?.stringValue?.count == 1000)
        #expect(data["title"]?.stringValue?.hasSuffix("…") == true)
        let many = try Self.read(
            "<rss><channel>" + (0..<1000).map { "<item><guid>g\($0)</guid></item>" }.joined() + "</channel></rss>")
        #expect(many.count == 300)
        #expect(many.last?.path.id == "g0", "the first are the newest")
    }

    @Test(arguments: [
        ("<html><body>503</body></html>", "it is XML, but not a feed: <html>"),
        ("<!DOCTYPE html><html><p>Down<br></html>", "it is not XML: mismatched tag, line 1, it calls itself text/html"),
        ("<rss/>", "the feed has no channel"),
        ("", "it is not XML: no element found, line 1, it calls itself text/html"),
        ("{\"a\":1}", "it is not XML: not well-formed (invalid token), line 1, it calls itself text/html"),
    ])
    func `a text that is not a feed is refused, and the error says what it is`(_ text: String, _ message: String) throws
    {
        let problem = try #require(throws: FeedUnreadable.self) { try Self.read(text, type: "text/html") }
        #expect(problem.description == message)
    }

    @Test(
        arguments: [
            ("text/xml; charset=windows-1253", "windows-1253"), ("text/xml;charset=\"UTF-8\"; x=y", "UTF-8"),
            ("text/xml", nil), ("", nil), ("text/xml; charset=", nil), (";;;=;charset", nil),
        ] as [(String, String?)])
    func `the charset is read from the content type`(_ field: String, _ expected: String?) {
        #expect(AnnouncementReader.charset(field) == expected)
    }
}

struct PlainTextTests {
    @Test(arguments: [
        ("a &amp; b", "a & b"), ("1 < 2 > 0", "1 < 2 > 0"), ("<p>a</p>\n<p>b</p>", "a b"), ("a<br/>b", "a b"),
        ("x<b>y</b>z", "xyz"), ("<!-- c -->a", "a"), ("<script>var a = '<b>';</script>t", "t"), ("<style>a{}", ""),
        ("&#8217;&#x2019;&#146;", "’’’"), ("&unknown; &", "&unknown; &"), ("&#1114112;", "\u{fffd}"), ("<", "<"),
        ("a\u{202e}b\u{0}c", "ab c"), ("<a href='>'>x</a>", "'>x"), ("&lt;b&gt;", "<b>"), ("<p", ""),
        ("<script>a</x>b</scripts>c</SCRIPT >d", "d"), ("نیمه\u{200c}شب", "نیمه\u{200c}شب"),
        ("نیمه&zwnj;شب", "نیمه\u{200c}شب"), ("ශ්\u{200d}රී", "ශ්\u{200d}රී"), ("👨‍👩‍👧 ❤️", "👨‍👩‍👧 ❤️"), ("\u{06dd}١", "\u{06dd}١"),
        (
            "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} x",
            "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} x"
        ),
        ("a\u{E0067}b\u{E007F}", "ab"), ("\u{1F3F4}\u{E0067}\u{E007F}\u{E0067}", "\u{1F3F4}\u{E0067}\u{E007F}"),
        ("a\u{200b}b\u{2060}c\u{feff}d\u{ad}e", "abcde"), ("a&rlm;b&lrm;c&shy;d", "abcd"), ("a\u{e000}\u{ffff}b", "ab"),
        ("\u{2066}a\u{2069}\u{061c}", "a"), ("It\u{92}s \u{80}5", "It’s €5"), ("a\u{90}b", "a b"),
        ("\u{3FFFD}", "\u{3FFFD}"),
        ("&Scaron;&ntilde;&Ntilde;&yuml;", "ŠñÑÿ"), ("<script>a</script", ""), ("<script></", ""),
    ])
    func `HTML becomes text for people`(_ html: String, _ expected: String) {
        #expect(PlainText.of(html, charactersMax: 100) == expected)
    }

    @Test func `a million open brackets take little time`() {
        let took = ContinuousClock().measure {
            _ = PlainText.of(String(repeating: "<!--", count: 1 << 20), charactersMax: 1000)
            _ = PlainText.of(String(repeating: "<script>", count: 1 << 20), charactersMax: 1000)
            _ = PlainText.of("<script>" + String(repeating: "</x", count: 1 << 20), charactersMax: 1000)
        }
        #expect(took < .seconds(10))
    }

    @Test(arguments: ["abc", "a:b~c@d.e_f-1", "123"])
    func `a name that can stand in a path is the id`(_ name: String) {
        #expect(SegmentName.of(name) == name)
    }

    @Test(arguments: [
        "a/b", "..", ".", "movie", "tv", "", " ", "é", "a b", "https://e.org/x?y=1", String(repeating: "x", count: 200),
    ])
    func `any other name becomes an id that is one segment and its own`(_ name: String) throws {
        let id = SegmentName.of(name)
        #expect(try DocumentPath("c/\(id)").id == id)
        #expect(try DocumentPath("c/\(id)/d/e").levels.count == 2)
        #expect(SegmentName.of(name + "x") != id)
        #expect(id.utf8.count <= 120)
    }
}
