import JSON
import Testing

@testable import Feeds

/// Addresses of announcements, as feeds write them.
struct AnnouncementLinkTests {
    static let base = "https://e.org/blog/2026/index.html?q=1"

    @Test(
        arguments: [
            ("https://e.org/1", "https://e.org/1"), ("\n  https://e.org/1 \n", "https://e.org/1"),
            ("https://e.org/a b", "https://e.org/a%20b"), ("https://e.org/\n  a", "https://e.org/%20%20a"),
            ("HTTPS://E.org/1", "HTTPS://E.org/1"), ("https://e.org/\"<x>", "https://e.org/%22%3Cx%3E"),
            ("https://e.org/ανακοίνωση", "https://e.org/ανακοίνωση"),
            ("/news/1", "https://e.org/news/1"), ("one", "https://e.org/blog/2026/one"),
            ("./one", "https://e.org/blog/2026/one"),
            ("../one", "https://e.org/blog/one"), ("../../../one", "https://e.org/one"), ("..", "https://e.org/blog/"),
            ("//d.org/x", "https://d.org/x"), ("?p=5", "https://e.org/blog/2026/index.html?p=5"),
            ("#top", "https://e.org/blog/2026/index.html?q=1#top"),
            ("a/?p=../b#c/../d", "https://e.org/blog/2026/a/?p=../b#c/../d"),
            ("", nil), ("   ", nil), ("javascript:alert(1)", nil), ("java\nscript:alert(1)", nil),
            (" javascript:x", nil),
            ("data:text/html,x", nil), ("mailto:a@e.org", nil), ("ftp://e.org/x", nil), ("www.e.org/1", nil),
            ("https:", nil),
            ("https:/x", nil), ("https://e.org/\u{0}", nil), ("https://e.org/\u{85}x", nil),
        ] as [(String, String?)])
    func `an address is completed, cleaned, or not taken`(_ text: String, _ expected: String?) {
        #expect(WebLink.address(text, base: Self.base) == expected)
    }

    @Test func `without a base only whole addresses are taken, and no base is better than one of another kind`() {
        #expect(WebLink.address("/1") == nil)
        #expect(WebLink.address("/1", base: "file:///etc/") == nil)
        #expect(WebLink.address("/1", base: "relative") == nil)
        #expect(WebLink.address("/1", base: "http://e.org") == "http://e.org/1")
        #expect(WebLink.address("1?x", base: "http://e.org") == "http://e.org/1?x")
        #expect(WebLink.address("?x", base: "http://e.org") == "http://e.org/?x")
        #expect(WebLink.address(String(repeating: "a", count: 5000), base: "http://e.org") == nil)
    }

    static func link(_ text: String) throws -> String? {
        let reader = AnnouncementReader(feed: "f", collection: "announcements", url: "https://feeds.org/x/rss.xml")
        let draft = try reader.read(Array(text.utf8), contentType: nil).drafts.first
        return AnnouncementReaderTests.data(draft)["link"]?.stringValue
    }

    static func rss(_ item: String, channel: String = "<link>https://e.org/blog/</link>") -> String {
        "<rss xmlns:atom='http://www.w3.org/2005/Atom'><channel>\(channel)<item><title>T</title>\(item)</item></channel></rss>"
    }

    @Test(
        arguments: [
            ("<atom:link rel='replies' href='https://e.org/c'/><link>https://e.org/1</link>", "https://e.org/1"),
            ("<link>https://e.org/1</link><atom:link href='https://e.org/c'/>", "https://e.org/1"),
            ("<atom:link href='https://e.org/c'/>", "https://e.org/c"),
            ("<link href='https://e.org/h'/>", "https://e.org/h"),
            ("<atom:link rel='self' href='https://e.org/c'/>", nil),
            ("<link/><guid>https://e.org/g</guid>", "https://e.org/g"),
            ("<link></link><link>https://e.org/2</link>", "https://e.org/2"),
            ("<link>/n/1</link>", "https://e.org/n/1"),
            ("<link>n/1</link>", "https://e.org/blog/n/1"), ("<guid>1234</guid>", nil), ("<guid>/1234</guid>", nil),
            ("<guid isPermaLink='false'>https://e.org/g</guid>", nil),
            ("<link>https://e.org/a b</link>", "https://e.org/a%20b"),
            ("<link><![CDATA[ https://e.org/1 ]]></link>", "https://e.org/1"),
        ] as [(String, String?)])
    func `the link of an item is its own, wherever others stand`(_ item: String, _ expected: String?) throws {
        #expect(try Self.link(Self.rss(item)) == expected)
    }

    @Test func `relative addresses are completed by xml_base, the site, or the address of the feed`() throws {
        #expect(try Self.link(Self.rss("<link>/1</link>", channel: "")) == "https://feeds.org/1")
        #expect(try Self.link(Self.rss("<link>1</link>", channel: "<link>/site/</link>")) == "https://feeds.org/site/1")
        let base = Self.rss("<link>1</link>").replacing("<channel>", with: "<channel xml:base='https://b.org/c/'>")
        #expect(try Self.link(base) == "https://b.org/c/1")
        let root = Self.rss("<link>1</link>").replacing("<rss ", with: "<rss xml:base='https://b.org/d/' ")
        #expect(try Self.link(root) == "https://b.org/d/1")
        let atom = """
            <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://e.org/blog/"><entry xml:base="2026/"><id>tag:1</id>
            <title>One</title><link href="one"/><link rel="enclosure" href="/a.pdf"/></entry></feed>
            """
        #expect(try Self.link(atom) == "https://e.org/blog/2026/one")
        #expect(
            try Self.link(atom.replacing(" xml:base=\"https://e.org/blog/\"", with: ""))
                == "https://feeds.org/x/2026/one")
        let reader = AnnouncementReader(feed: "f", collection: "announcements")
        let data = AnnouncementReaderTests.data(try reader.read(Array(atom.utf8), contentType: nil).drafts.first)
        #expect(data["attachments"] == [["url": "https://e.org/a.pdf"]])
    }
}
