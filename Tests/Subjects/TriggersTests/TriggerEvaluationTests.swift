import JSON
import Model
import Testing

@testable import Triggers

@Suite struct TriggerEvaluationTests {
    @Test func `a notification has all that its row says`() throws {
        let notification = try wanted(
            row(
                ("condition", "after ->> 'title' = 'The Matrix' AND person = '525'"),
                ("kind", "release"),
                ("level", "critical"),
                ("ttl", 60),
                ("title", "{{after.title}}"),
                ("body", "{{product}}")
            ),
            after: ["title": "The Matrix"]
        )
        #expect(notification.trigger == "a-trigger")
        #expect(notification.audience.description == "followers:person:525")
        #expect(notification.kind == "release")
        #expect(notification.level == .critical)
        #expect(notification.expires == Timestamp("2026-11-21T10:01:00Z"))
        #expect(notification.texts.fallback == NotificationText(title: "The Matrix", body: "movie/603"))
        #expect(notification.data == [:])
    }

    @Test(arguments: [("0", SQLValue.integer(0)), ("NULL", .null), ("''", .text("")), ("after ->> 'no'", .null)])
    func `a condition that is not true skips and says its value`(condition: String, value: SQLValue) throws {
        #expect(try outcome(of: row(("condition", .string(condition)))) == .skipped(.condition(value)))
    }

    @Test func `a condition that fails is a failure of the row`() throws {
        #expect(
            try outcome(of: row(("condition", "json('{')")))
                == .failed(TriggerFailure(trigger: "a-trigger", field: "condition", message: "malformed JSON"))
        )
    }

    @Test func `an audience that cannot be resolved is a failure of the row`() throws {
        #expect(
            try outcome(of: row(("audience", "user:{after.author}")))
                == .failed(
                    TriggerFailure(
                        trigger: "a-trigger",
                        field: "audience",
                        message: "{after.author}: there is no such field"
                    )
                )
        )
    }

    @Test(arguments: [
        ("'2026-11-22T10:00:00Z'", "2026-11-22T10:00:00.000Z"),
        ("datetime(now, '+1 hour')", "2026-11-21T11:00:00.000Z"),
        ("after ->> 'due'", "2026-12-24T00:00:00.000Z"), ("unixepoch(now) + 60", "2026-11-21T10:01:00.000Z"),
        ("unixepoch(now) + 0.5", "2026-11-21T10:00:00.500Z"),
        ("strftime('%Y-%m-%d %H:%M', now, '+1 day')", "2026-11-22T10:00:00.000Z"),
    ])
    func `a time in the future schedules`(at: String, expected: String) throws {
        let answer = try outcome(of: row(("at", .string(at)), ("ttl", 60)), after: ["due": "2026-12-24"])
        guard case .scheduled(let time, let notification) = answer else { throw Unexpected(outcome: answer) }
        #expect(time.text == expected)
        #expect(notification.expires == time.adding(milliseconds: 60_000))
    }

    @Test func `a time that has come fires at once, and none skips`() throws {
        guard case .wanted = try outcome(of: row(("at", "now"))) else {
            throw Unexpected(outcome: try outcome(of: row()))
        }
        guard case .wanted = try outcome(of: row(("at", "'1999-03-31'"))) else {
            throw Unexpected(outcome: try outcome(of: row()))
        }
        #expect(try outcome(of: row(("at", "after ->> 'due'"))) == .skipped(.noTime))
    }

    @Test(arguments: ["'tomorrow'", "x'00'", "9e99", "-9e99", "9223372036854775807", "'2026-13-01'"])
    func `a text that is not a time fails`(at: String) throws {
        guard case .failed(let failure) = try outcome(of: row(("at", .string(at)))) else {
            throw Unexpected(outcome: try outcome(of: row(("at", .string(at)))))
        }
        #expect(failure.field == "at")
    }

    @Test func `a change the row does not watch is skipped`() throws {
        #expect(try outcome(of: row(), path: "people/525") == .skipped(.notWatched))
        #expect(try outcome(of: row(("event", "delete"))) == .skipped(.notWatched))
    }

    @Test func `a deletion has only what was before`() throws {
        let answer = try outcome(
            of: row(
                ("event", "delete"),
                ("condition", "after IS NULL AND before ->> 'a' = 1"),
                ("title", "{{before.a}}{{after.a}}")
            ),
            event: .delete,
            before: ["a": 1],
            after: nil
        )
        guard case .wanted(let notification) = answer else { throw Unexpected(outcome: answer) }
        #expect(notification.texts.fallback.title == "1")
    }
}
