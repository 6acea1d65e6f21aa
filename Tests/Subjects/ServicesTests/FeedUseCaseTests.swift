import ClientProtocol
import Execution
import Feeds
import Foundation
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

/// The writes of feeds, on a real database.
struct FeedUseCaseTests {
    static func draft(_ path: String, _ fields: JSONObject) throws -> FeedDraft {
        FeedDraft(try DocumentPath(path), .fields(fields))
    }

    static func apply(
        _ drafts: [FeedDraft], to house: House, quiet: Bool = false, tag: String? = nil
    ) throws -> AnswerFact {
        let progress = FeedProgress(target: "t", entityTag: tag, lastModified: nil, checked: house.now)
        return try house.fact(
            of: ApplyFeed(feed: "f", drafts: drafts, progress: [progress], isQuiet: quiet), by: "server")
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
        #expect(try Self.apply(drafts, to: house, quiet: true) == .feedWritten(count: 2, tooLong: []))
        #expect(try house.notifications("alice").texts("notifications", "id").isEmpty)
        house.now = try #require(Timestamp("2026-11-25T09:00:01Z"))
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
        #expect(try Self.apply([draft], to: house, tag: "\"1\"") == .feedWritten(count: 1, tooLong: []))
        let head = house.head
        #expect(try Self.apply([draft], to: house, tag: "\"2\"") == .feedWritten(count: 0, tooLong: []))
        #expect(house.head == head)
        #expect(try house.look { try $0.feeds.progress(of: "f") }.map(\.entityTag) == ["\"2\""])
        _ = try house.put("announcements/1", ["title": "A", "pinned": true])
        let unchanged = AnswerFact.feedWritten(count: 0, tooLong: [])
        #expect(try Self.apply([draft], to: house) == unchanged, "what the application added stays")
    }

    @Test func `a refused answer writes neither documents nor progress`() throws {
        let house = try House()
        let drafts = try [
            Self.draft("announcements/1", ["title": "A"]), Self.draft("recommendations/alice:bob-1", ["seen": true]),
        ]
        _ = try house.refusal {
            _ = try Self.apply(drafts, to: house)
            return .null
        }
        #expect(try house.look { try $0.feeds.progress(of: "f") }.isEmpty)
        #expect(try house.look { try $0.documents.count() } == 0)
    }

    @Test func `a feed is put, shown without its key, and deleted with its progress`() throws {
        let house = try House()
        let row: JSONObject = ["kind": "rss", "url": "https://e.org/rss", "key": "sesame"]
        let put = try PutFeed(name: "f", row: row, configured: [], key: house.key())
        #expect(try house.write(put, by: "admin")["hasKey"] == true)
        #expect(try house.write(put, by: "admin")["hasKey"] == true, "repeated")
        let anew = try PutFeed(name: "f", row: row, configured: [], key: nil)
        #expect(try house.fact(of: anew, by: "admin") == .feedsChanged)
        let shown = try house.read(ReadFeeds(name: nil, configured: [], withKey: [], states: [:]), by: "admin")
        #expect(!shown.text.contains("sesame"))
        #expect(shown["feeds"]?.arrayValue?.first?["url"] == "https://e.org/rss")
        _ = try Self.apply([], to: house)
        #expect(try house.fact(of: DeleteFeed(name: "f", configured: []), by: "admin") == .feedsChanged)
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

    @Test func `a follow of something without a number takes no place from the follows with one`() throws {
        let house = try House()
        for id in ["-1", "0", "007", "1x", "12345678901", "tv/9"] {
            try house.follow("mallory", "person:\(id)")
            try house.follow("trudy", "person:\(id)")
        }
        for id in ["tv/", "tv/0", "tv/1x", "movie/1"] { try house.follow("mallory", "series:\(id)") }
        for id in ["900", "1", "2"] { try house.follow("alice", "person:\(id)") }
        try house.follow("bob", "person:2")
        try house.follow("alice", "series:3")
        #expect(try house.look { try $0.feeds.followed(kind: "person", limit: 2) } == ["2", "900"])
        #expect(try house.look { try $0.feeds.followed(kind: "person", limit: 9) } == ["2", "900", "1"])
        #expect(try house.look { try $0.feeds.followed(kind: "series", limit: 9) } == ["3"])
    }

    @Test func `a document that would be too long is left out and reported, and the others are written`() throws {
        let house = try House()
        try house.write(
            WriteDocuments(
                DocumentWrite(
                    path: DocumentPath("announcements/1"),
                    operation: .put(["mine": .string(String(repeating: "x", count: DocumentLimits.bytesMax - 20))])),
                key: nil), by: "admin")
        let drafts = try ["1", "2"].map { try Self.draft("announcements/\($0)", ["title": "A title, and some more"]) }
        let tooLong = [try DocumentPath("announcements/1")]
        #expect(try Self.apply(drafts, to: house) == .feedWritten(count: 1, tooLong: tooLong))
        #expect(try house.look { try $0.storedDocument(DocumentPath("announcements/2")) } != nil)
    }

    @Test func `a feed is run where there is one, once for each key`() throws {
        let house = try House()
        let row: JSONObject = ["kind": "rss", "url": "https://e.org/rss"]
        #expect(throws: Refusal.self) {
            try house.write(RunFeed(name: "f", configured: [], key: nil), by: "admin")
        }
        #expect(try house.write(RunFeed(name: "g", configured: ["g"], key: nil), by: "admin")["started"] == true)
        try house.write(PutFeed(name: "f", row: row, configured: [], key: nil), by: "admin")
        let key = try house.key()
        let run = RunFeed(name: "f", configured: [], key: key)
        #expect(try house.fact(of: run, by: "admin") == .feedRun("f"))
        #expect(try house.fact(of: run, by: "admin") == .none)
        #expect(try house.write(run, by: "admin")["started"] == true)
        try house.write(DeleteFeed(name: "f", configured: []), by: "admin")
        #expect(throws: Refusal.self) {
            try house.write(RunFeed(name: "f", configured: [], key: nil), by: "admin")
        }
    }
}
