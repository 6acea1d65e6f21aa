import JSON
import Model
import Testing

@testable import Feeds

/// Announcements that share their names, and names that change.
struct AnnouncementIdentityTests {
    /// The documents of one feed: each answer is laid over them as the server does it.
    struct Site {
        var documents: [DocumentPath: JSONObject] = [:]
        var remarks: [String] = []

        /// Takes an answer.
        ///
        /// - Returns: the titles of the documents that are new, in the order of writing.
        mutating func take(_ items: [String], more: String = "") throws -> [String] {
            let text = "<rss><channel>\(more)" + items.map { "<item>\($0)</item>" }.joined() + "</channel></rss>"
            let findings = try AnnouncementReader(feed: "dept", collection: "announcements")
                .read(Array(text.utf8), contentType: nil)
            remarks = findings.remarks
            var new: [String] = []
            for draft in findings.placed(of: "dept", { documents[$0] }) {
                let stored = documents[draft.path]
                guard case .put(let data) = draft.outcome(over: stored) else { continue }
                if stored == nil { new.append(data["title"]?.stringValue ?? "") }
                documents[draft.path] = data
            }
            return new
        }
    }

    static func item(_ title: String, guid: String? = nil, link: String? = nil, day: Int? = nil) -> String {
        (guid.map { "<guid isPermaLink='false'>\($0)</guid>" } ?? "") + (link.map { "<link>\($0)</link>" } ?? "")
            + "<title>\(title)</title>" + (day.map { "<pubDate>\($0) Nov 2026 10:00:00 GMT</pubDate>" } ?? "")
    }

    static let page = "https://dept.example.org/news"

    @Test(
        arguments: [
            (guid: nil, link: page), (guid: page, link: nil), (guid: page, link: page), (guid: "0", link: nil),
        ] as [(guid: String?, link: String?)])
    func `announcements that share a guid or a link are as many documents, and a new one on top is new`(
        _ names: (guid: String?, link: String?)
    ) throws {
        var site = Site()
        func item(_ number: Int) -> String { Self.item("A\(number)", guid: names.guid, link: names.link, day: number) }
        #expect(try site.take([item(3), item(2), item(1)]) == ["A1", "A2", "A3"])
        #expect(site.remarks.count == 1)
        #expect(
            site.remarks.first?.hasPrefix("3 announcements share a guid or a link (\(names.guid ?? Self.page))") == true
        )
        #expect(try site.take([item(3), item(2), item(1)]) == [])
        #expect(try site.take([item(5), item(4), item(3), item(2)]) == ["A4", "A5"])
        #expect(site.documents.count == 5)
    }

    @Test func `an announcement stays the same document when others begin or cease to share its name`() throws {
        var site = Site()
        func item(_ number: Int) -> String { Self.item("A\(number)", guid: "all", day: number) }
        #expect(try site.take([item(1)]) == ["A1"], "its guid is its own")
        #expect(site.remarks == [])
        #expect(try site.take([item(2), item(1)]) == ["A2"])
        #expect(try site.take([item(3), item(2), item(1)]) == ["A3"])
        #expect(try site.take([item(3)]) == [], "its guid is its own again")
        #expect(try site.take([item(2), item(1)]) == [])
        #expect(site.documents.count == 3)
    }

    @Test(
        arguments: [(guid: nil, link: page), (guid: page + "/", link: nil), (guid: page, link: page)]
            as [(String?, String?)])
    func `the address of the site names no announcement, even where there is only one at a time`(
        _ guid: String?, _ link: String?
    ) throws {
        var site = Site()
        let home = "<link>\(Self.page)/</link>"
        func item(_ number: Int) -> String { Self.item("A\(number)", guid: guid, link: link, day: number) }
        // A version that trusted the address has stored the first one under it.
        let path = try DocumentPath("announcements/\(SegmentName.of(guid ?? link ?? ""))")
        site.documents[path] = ["title": "A1", "feed": "dept"]
        #expect(try site.take([item(1)], more: home) == [])
        #expect(try site.take([item(2)], more: home) == ["A2"])
        #expect(try site.take([item(3)], more: home.replacing("https", with: "http")) == ["A3"])
        #expect(try site.take([item(3), item(2), item(1)], more: home) == [])
        #expect(site.documents.count == 3)
    }

    @Test func `the shortest name that is an item's own counts`() throws {
        var site = Site()
        let items = [
            Self.item("Same", guid: "g", link: "https://e.org/1", day: 1),
            Self.item("Same", guid: "g", link: "https://e.org/2", day: 2),
            Self.item("Other", guid: "g", link: "https://e.org/2", day: 2),
            Self.item("Same", guid: "g", link: "https://e.org/2", day: 3),
        ]
        #expect(try site.take(items).count == 4)
        // Its link distinguishes it, so a corrected title does not make it new.
        let changed = [Self.item("Corrected", guid: "g", link: "https://e.org/1", day: 9)] + items.dropFirst()
        #expect(try site.take(changed) == [])
        #expect(site.documents.values.contains { $0["title"] == "Corrected" })
    }

    @Test func `an announcement that is listed twice is one, and its correction under its own guid changes it`() throws
    {
        var site = Site()
        let twice = Self.item("A", guid: "1", link: "https://e.org/1", day: 1)
        #expect(try site.take([twice, twice, Self.item("B", guid: "2")]) == ["B", "A"])
        #expect(site.remarks == [])
        #expect(try site.take([Self.item("A, corrected", guid: "1", link: "https://e.org/1", day: 2)]) == [])
        #expect(site.documents.count == 2)
        let schemes = [Self.item("C", link: "https://e.org/c"), Self.item("C", link: "http://e.org/c")]
        #expect(try site.take(schemes) == ["C"])
    }

    @Test func `a slash at the end of each address, and its disappearance, are nothing new`() throws {
        var site = Site()
        func items(_ end: String, scheme: String) -> [String] {
            (1...4).map { (number: Int) in
                Self.item("A\(number)", link: "\(scheme)://e.org/\(number)\(end)", day: number)
            }
        }
        #expect(try site.take(items("", scheme: "http")).count == 4)
        #expect(try site.take(items("/", scheme: "https")) == [])
        #expect(try site.take(items("", scheme: "https")) == [])
        // Another site with the same paths is new, and so is an address that goes on.
        #expect(try site.take([Self.item("B", link: "https://f.org/1", day: 1)]) == ["B"])
        #expect(try site.take([Self.item("C", link: "https://e.org/1/more", day: 1)]) == ["C"])
    }

    @Test func `a correction that is listed above the first version is not lost`() throws {
        var site = Site()
        let first = Self.item("Exam on Monday", guid: "1", link: "https://e.org/1", day: 1)
        #expect(try site.take([first]) == ["Exam on Monday"])
        let second = Self.item("Exam on Tuesday", guid: "1", link: "https://e.org/1", day: 2)
        #expect(try site.take([second, first]) == ["Exam on Tuesday"])
        #expect(try site.take([second]) == [])
    }

    @Test(arguments: [
        ("http://e.org/?p=", "https://e.org/?p="), ("https://e.org/?p=", "http://e.org/?p="),
        ("7 at http://e.org/", "7 at https://e.org/"),
        ("http://e.org/r?to=http://d.org/", "https://e.org/r?to=https://d.org/"),
        ("http://e.org/", "https://www.e.org/"), ("https://www.e.org/?p=", "https://e.org/?p="),
        ("http://e.org/a//", "https://e.org/a//"),
    ])
    func `a site that changes its scheme or its first name has nothing new, and moves nothing`(
        _ before: String, _ after: String
    ) throws {
        for byLink in [false, true] where !byLink || before.hasPrefix("http") {
            var site = Site()
            func items(_ prefix: String, _ numbers: ClosedRange<Int>) -> [String] {
                numbers.reversed().map { number in
                    byLink
                        ? Self.item("A\(number)", link: "\(prefix)\(number)", day: number)
                        : Self.item("A\(number)", guid: "\(prefix)\(number)", day: number)
                }
            }
            #expect(try site.take(items(before, 1...5)).count == 5)
            let places = Set(site.documents.keys)
            #expect(try site.take(items(after, 1...5)) == [])
            #expect(Set(site.documents.keys) == places)
            #expect(try site.take(items(after, 2...6)) == ["A6"])
            #expect(try site.take(items(before, 2...6)) == [], "and back")
            #expect(site.documents.count == 6)
        }
    }

    @Test func `the ids of today stay those of yesterday`() throws {
        var site = Site()
        _ = try site.take([
            Self.item("A", guid: "http://e.org/?p=1"), Self.item("B", link: "https://e.org/b"), Self.item("C", day: 1),
            Self.item("D", guid: "d-4"),
        ])
        #expect(
            Set(site.documents.keys.map(\.id)) == [
                "e.org-p-1-" + SegmentName.digest("http://e.org/?p=1"),
                "e.org-b-" + SegmentName.digest("https://e.org/b"),
                "C-1-Nov-2026-10-00-00-GMT-" + SegmentName.digest("C 1 Nov 2026 10:00:00 GMT"), "d-4",
            ])
    }

    @Test func `an announcement that had no link for earlier versions is found by its title and date`() throws {
        var site = Site()
        #expect(try site.take([Self.item("Exam", day: 1)]) == ["Exam"])
        #expect(try site.take([Self.item("Exam", link: "https://e.org/a b", day: 1)]) == [])
        #expect(site.documents.values.first?["link"] == "https://e.org/a%20b")
        #expect(try site.take([Self.item("نیمهشب", day: 2)]) == ["نیمهشب"])
        #expect(try site.take([Self.item("نیمه\u{200c}شب", day: 2)]) == [], "it was stored without its joiner")
    }

    @Test func `a document of somebody else, or of another title, is not taken for an announcement`() throws {
        var site = Site()
        let path = try DocumentPath("announcements/\(SegmentName.of("http://e.org/1"))")
        site.documents[path] = ["title": "A", "feed": "other"]
        #expect(try site.take([Self.item("A", guid: "https://e.org/1")]) == ["A"])
        #expect(site.documents[path] == ["title": "A", "feed": "other"])
        site = Site()
        #expect(try site.take([Self.item("Old", guid: "all")]) == ["Old"])
        #expect(try site.take([Self.item("B", guid: "all"), Self.item("C", guid: "all")]) == ["C", "B"])
        #expect(site.documents.count == 3)
    }

    @Test func `of a feed that begins with its oldest, the newest are taken`() throws {
        var site = Site()
        let items = (1...400).map { number in
            "<guid>g\(number)</guid><title>A\(number)</title><pubDate>\(1_600_000_000 + number * 1000)</pubDate>"
        }
        let taken = try site.take(items)
        #expect(taken.count == 300 && taken.first == "A101" && taken.last == "A400")
        var other = Site()
        #expect(try other.take(items.reversed()).last == "A400")
    }

    @Test func `an item that only has a file is known by it, and one without anything is counted`() throws {
        var site = Site()
        let file = "<enclosure url='https://e.org/a.mp3'/>"
        #expect(try site.take([file, "<pubDate>x</pubDate>"]) == [""])
        #expect(try site.take([file]) == [])
        _ = try site.take(["", "<pubDate>soon</pubDate>", Self.item("A", day: 1)])
        #expect(
            site.remarks == [
                "2 announcements have no guid, link or title and are left out", "the date 'soon' cannot be read",
            ])
    }

    @Test func `three hundred announcements of one name take little time`() throws {
        var site = Site()
        let items = (0..<300).map { Self.item("A\($0)", guid: "all", link: Self.page) }
        let start = ContinuousClock.now
        #expect(try site.take(items).count == 300)
        #expect(ContinuousClock.now - start < .seconds(5))
    }
}
