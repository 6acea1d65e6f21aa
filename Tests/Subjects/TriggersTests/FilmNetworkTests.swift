import Foundation
import JSON
import Model
import Testing
import Triggers

private let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "deploy/triggers/film-network.json")

/// The trigger rows of the film network.
struct FilmNetworkTests {
    private static func outcome(
        _ name: String,
        _ path: String,
        _ event: ChangeEvent = .create,
        before: JSONValue? = nil,
        after: JSONValue?
    ) throws -> TriggerOutcome {
        let rows = try JSONValue(parsing: Array(Data(contentsOf: file)))
        let row = try #require(rows.arrayValue?.first { $0["name"]?.stringValue == name })
        return try TriggersTests.outcome(of: row, path: path, event: event, before: before, after: after)
    }

    private static func texts(_ outcome: TriggerOutcome, _ audience: String) throws -> Localized<NotificationText> {
        guard case .wanted(let wanted) = outcome else { throw Unexpected(outcome: outcome) }
        #expect(wanted.audience.description == audience)
        return wanted.texts
    }

    @Test func `a new follower notifies the followed user, except by a follow of oneself`() throws {
        let answer = try Self.outcome("new-follower", "users/bob/followers/alice", after: [:])
        let texts = try Self.texts(answer, "user:bob")
        #expect(texts[LanguageTag("it-CH")].body == "alice ha iniziato a seguirti.")
        #expect(texts[LanguageTag("fr")].body == "alice started following you.")
        #expect(
            try Self.outcome("new-follower", "users/bob/followers/bob", after: [:]) == .skipped(.condition(.integer(0)))
        )
    }

    @Test func `a recommendation names the film, else its id`() throws {
        let path = "recommendations/alice:bob-12"
        let film: JSONValue = [
            "from": "alice", "to": "bob", "product": ["id": "movie/603", "title": "The Matrix"], "note": "!",
        ]
        let texts = try Self.texts(Self.outcome("recommendation", path, after: film), "user:bob")
        #expect(texts[nil].title == "alice recommends The Matrix")
        #expect(texts[nil].body == "!")
        let bare: JSONValue = ["from": "alice", "to": "bob", "product": ["id": "movie/603"], "note": ""]
        let plain = try Self.texts(Self.outcome("recommendation", path, after: bare), "user:bob")
        #expect(plain[LanguageTag("it")].title == "alice ti consiglia movie/603")
        #expect(plain[nil].body == "Open the chat to see it.")
    }

    @Test func `a director's release notifies on the day of release`() throws {
        let path = "people/525/credits/movie/603"
        func credit(_ date: String, _ job: String = "Director") -> JSONValue {
            ["job": .string(job), "title": "The Matrix", "releaseDate": .string(date)]
        }
        let out = try Self.outcome("director-release", path, after: credit("2026-11-20"))
        #expect(try Self.texts(out, "followers:person:525")[nil].title == "New release: The Matrix")
        let later = try Self.outcome("director-release", path, after: credit("2026-11-22"))
        guard case .scheduled(at: let due, let wanted) = later else {
            Issue.record("a film of tomorrow came to \(later)")
            return
        }
        #expect(due.text == "2026-11-21T19:00:00.000Z")
        #expect(wanted.wall?.text == "2026-11-22T09:00:00.000Z")
        #expect(wanted.texts[nil].title == "New release: The Matrix")
        #expect(
            try Self.outcome("director-release", path, after: credit("2026-11-21", "Actor"))
                == .skipped(.condition(.integer(0)))
        )
        for old in ["1994-10-14", "2026-11-13"] {
            let outcome = try Self.outcome("director-release", path, after: credit(old))
            #expect(outcome == .skipped(.condition(.integer(0))))
        }
        #expect(
            try Self.outcome("director-release", path, .delete, before: credit("2026-11-20"), after: nil)
                == .skipped(.condition(.null))
        )
    }

    @Test func `a new season is one more than before`() throws {
        func series(_ seasons: JSONValue) -> JSONValue { ["title": "Severance", "seasons": seasons] }
        let more = try Self.outcome("new-season", "series/tv/95396", .update, before: series(1), after: series(2))
        #expect(try Self.texts(more, "followers:series:tv/95396")[nil].title == "Severance: new season")
        let listed = try Self.outcome(
            "new-season",
            "series/tv/95396",
            .update,
            before: series([1]),
            after: series([1, 2])
        )
        #expect(try Self.texts(listed, "followers:series:tv/95396")[nil].title == "Severance: new season")
        let same = try Self.outcome("new-season", "series/tv/95396", .update, before: series(2), after: series(2))
        #expect(same == .skipped(.condition(.integer(0))))
    }

    @Test func `a review goes to the author's followers, quietly`() throws {
        let review: JSONValue = ["author": "alice", "product": ["title": "The Matrix"], "rating": 4.5, "text": "<3"]
        let answer = try Self.outcome("review", "reviews/r1", after: review)
        #expect(try Self.texts(answer, "followers:user:alice")[nil].body == "The Matrix · 4.5 out of 5 · <3")
    }
}
