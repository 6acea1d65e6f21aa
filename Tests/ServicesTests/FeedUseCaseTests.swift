import Feeds
import Foundation
import JSON
import Model
import Services
import Store
import Testing

/// What feeds write, on a real database.
struct FeedUseCaseTests {
    static func draft(_ path: String, _ fields: JSONObject) throws -> FeedDraft {
        FeedDraft(try DocumentPath(path), .fields(fields))
    }

    static func apply(
        _ drafts: [FeedDraft], to house: House, quiet: Bool = false, tag: String? = nil
    ) throws -> JSONValue {
        let progress = FeedTable.Progress(target: "t", entityTag: tag, lastModified: nil, checked: house.now)
        return try house.write(
            ApplyFeed(feed: "f", drafts: drafts, progress: [progress], isQuiet: quiet), by: "server")
    }

    static func credit(_ date: String, _ title: String = "Oppenheimer") -> JSONObject {
        ["job": "Director", "title": .string(title), "releaseDate": .string(date), "feed": "f"]
    }

    @Test func `the first answer rings nobody, and schedules what lies ahead`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "person:525")
        house.now = try #require(Timestamp("2026-11-21T12:00:00Z"))
        let drafts = try [
            Self.draft("people/525/credits/movie/1", Self.credit("1998-01-01")),
            Self.draft("people/525/credits/movie/2", Self.credit("2026-11-25")),
        ]
        #expect(try Self.apply(drafts, to: house, quiet: true)["written"] == 2)
        #expect(try house.notifications("alice").texts("notifications", "id").isEmpty)
        house.now = try #require(Timestamp("2026-11-25T00:00:01Z"))
        try house.write(FireDueTriggers(), by: "server")
        #expect(try house.notifications("alice").texts("notifications", "title") == ["New release: Oppenheimer"])
    }

    @Test func `a later answer rings, and a credit that is withdrawn takes its schedule with it`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "person:525")
        house.now = try #require(Timestamp("2026-11-21T12:00:00Z"))
        let path = "people/525/credits/movie/1"
        _ = try Self.apply([Self.draft(path, Self.credit("2026-11-20"))], to: house)
        #expect(try house.notifications("alice").texts("notifications", "title").count == 1)
        let ahead = "people/525/credits/movie/2"
        _ = try Self.apply([Self.draft(ahead, Self.credit("2026-11-25"))], to: house)
        _ = try Self.apply([FeedDraft(DocumentPath(ahead), .withdrawn(feed: "f"))], to: house)
        house.now = try #require(Timestamp("2026-11-26T00:00:00Z"))
        try house.write(FireDueTriggers(), by: "server")
        #expect(try house.notifications("alice").texts("notifications", "title").count == 1)
    }

    @Test func `repeated, it writes no document a second time, and progress is with the documents`() throws {
        let house = try House()
        let draft = try Self.draft("announcements/1", ["title": "A"])
        #expect(try Self.apply([draft], to: house, tag: "\"1\"")["written"] == 1)
        let head = house.head
        #expect(try Self.apply([draft], to: house, tag: "\"2\"")["written"] == 0)
        #expect(house.head == head)
        #expect(try house.look { try $0.feeds.progress(of: "f") }.map(\.entityTag) == ["\"2\""])
        _ = try house.put("announcements/1", ["title": "A", "pinned": true])
        #expect(try Self.apply([draft], to: house)["written"] == 0, "what the application added stays")
    }

    @Test func `what is refused writes neither documents nor progress`() throws {
        let house = try House()
        let drafts = try [
            Self.draft("announcements/1", ["title": "A"]), Self.draft("recommendations/alice:bob-1", ["seen": true]),
        ]
        _ = try house.refusal { try Self.apply(drafts, to: house) }
        #expect(try house.look { try $0.feeds.progress(of: "f") }.isEmpty)
        #expect(try house.look { try $0.documents.count() } == 0)
    }

    @Test func `a feed is put, shown without its key, and deleted with its progress`() throws {
        let house = try House()
        let row: JSONObject = ["kind": "rss", "url": "https://e.org/rss", "key": "sesame"]
        let put = try PutFeed(name: "f", row: row, configured: [], key: house.key())
        #expect(try house.write(put, by: "admin")["hasKey"] == true)
        #expect(try house.write(put, by: "admin")["hasKey"] == true, "repeated")
        let shown = try house.read(ReadFeeds(name: nil, configured: [], withKey: [], states: [:]), by: "admin")
        #expect(!shown.text.contains("sesame"))
        #expect(shown["feeds"]?.arrayValue?.first?["url"] == "https://e.org/rss")
        _ = try Self.apply([], to: house)
        try house.write(DeleteFeed(name: "f", configured: []), by: "admin")
        #expect(try house.look { try $0.feeds.progress(of: "f") }.isEmpty)
        #expect(try house.look { try $0.feeds.all() }.isEmpty)
    }

    @Test func `those who are followed are found by their kind`() throws {
        let house = try House()
        try house.follow("alice", "person:525")
        try house.follow("alice", "person:7")
        try house.follow("alice", "series:tv/1399")
        try house.follow("alice", "personal:9")
        try house.follow("alice", "person:7", isOn: false)
        #expect(try house.look { try $0.feeds.followed(kind: "person", limit: 10) } == ["525"])
        #expect(try house.look { try $0.feeds.followed(kind: "series", limit: 10) } == ["tv/1399"])
    }
}
