import JSON
import Model
import Testing
import Triggers

/// The outcome of an expression for a small document.
private func outcome(
    _ text: String,
    before: String? = nil,
    after: String? = #"{"title":"The Matrix","year":1999,"rating":4.5,"list":[1,2,3],"none":null,"at":"2026-11-21"}"#,
    names: [String: String] = ["person": "525", "product": "movie/603"],
    now: String = "2026-11-21T10:00:00.123Z"
) throws -> Condition.Outcome {
    let sorted = names.sorted { $0.key < $1.key }
    let condition = try ConditionRunner().compile(text, names: sorted.map(\.key))
    return condition.evaluate(
        before: before.map { Array($0.utf8) },
        after: after.map { Array($0.utf8) },
        names: sorted.map(\.value),
        now: try #require(Timestamp(now))
    )
}

@Suite struct ConditionTests {
    @Test(arguments: [
        ("1", true), ("0", false), ("NULL", false), ("''", false), ("'1x'", true), ("'x'", false), ("0.5", true),
        ("x'31'", true), ("after ->> 'title' = 'The Matrix'", true), ("after ->> 'year' > 2000", false),
        ("after->>'rating' >= 4.5", true), ("after ->> 'none' IS NULL", true), ("before IS NULL", true),
        ("BEFORE IS NULL and Person = '525'", true), ("product = 'movie/603'", true), ("\"person\" = '525'", true),
        ("`person` = '525' AND [product] LIKE 'movie/%'", true), ("now = '2026-11-21T10:00:00.123Z'", true),
        ("date(now) = '2026-11-21'", true), ("date('now') = date(now) AND date() = date(now)", true),
        ("CURRENT_TIMESTAMP = '2026-11-21 10:00:00'", true), ("CURRENT_DATE = after ->> 'at'", true),
        ("strftime('%s','now') = '1795255200'", true), ("unixepoch() = 1795255200", true),
        ("datetime(now, '+1 day', 'start of month') = '2026-11-01 00:00:00'", true),
        ("abs(julianday('now') - 2461365.9166680905) < 0.0000001", true),
        ("EXISTS (SELECT 1 FROM json_each(after, '$.list') WHERE value = 3)", true),
        ("(SELECT sum(value) FROM json_each(after, '$.list')) = 6", true),
        ("2 IN (SELECT value FROM json_each(after, '$.list'))", true),
        ("(SELECT count(*) FROM json_tree(after)) > 5", true), ("json_array_length(after, '$.list') = 3", true),
        ("(WITH t(x) AS (SELECT 1) SELECT x FROM t)", true), ("(SELECT 1 UNION SELECT 0 ORDER BY 1 LIMIT 1)", false),
        ("1 -- a comment", true), ("1 /* another */ = 1", true), ("')' = ')'", true), ("';' = ';'", true),
        ("'it''s' = 'it''s'", true), ("CASE WHEN after IS NULL THEN 0 ELSE 1 END", true), ("(1, 2) = (1, 2)", true),
        ("CAST('12' AS INTEGER) = 12", true), ("-1", true), ("NOT 0", true), ("1 COLLATE NOCASE", true),
        ("pow(2, 10) = 1024", true), ("instr('a?b', '?') = 2", true), ("'ä' = 'ä'", true), ("5 BETWEEN 1 AND 9", true),
    ])
    func `an expression has the truth SQL gives it`(text: String, expected: Bool) throws {
        guard case .value(_, let isTrue) = try outcome(text) else {
            Issue.record("\(try outcome(text))")
            return
        }
        #expect(isTrue == expected)
    }

    @Test(arguments: [
        ("1", SQLValue.integer(1)), ("NULL", .null), ("0.25", .real(0.25)), ("'a' || 'b'", .text("ab")),
        ("x'0102'", .blob(bytes: 2)), ("after ->> 'title'", .text("The Matrix")),
        ("9223372036854775807", .integer(.max)),
        ("datetime('now')", .text("2026-11-21 10:00:00")), ("person", .text("525")), ("before", .null),
    ])
    func `an expression has a value`(text: String, expected: SQLValue) throws {
        guard case .value(let value, _) = try outcome(text) else {
            Issue.record("\(try outcome(text))")
            return
        }
        #expect(value == expected)
    }

    @Test func `the same change gives the same answer whenever it is replayed`() throws {
        let condition = try ConditionRunner().compile(
            "date('now') || CURRENT_TIME || strftime('%f') || unixepoch('now')"
        )
        let first = try #require(Timestamp("2026-11-21T23:59:59.999Z"))
        let second = try #require(Timestamp("1999-03-31T00:00:00Z"))
        let answers = [first, second, first, second].map {
            condition.evaluate(before: nil, after: nil, names: [], now: $0)
        }
        #expect(answers[0] == .value(.text("2026-11-2123:59:5959.9991795305599"), isTrue: true))
        #expect(answers[1] == .value(.text("1999-03-3100:00:0000.000922838400"), isTrue: true))
        #expect(answers[2] == answers[0])
        #expect(answers[3] == answers[1])
    }

    @Test func `two runners have each their own time`() throws {
        let one = try ConditionRunner().compile("date('now')")
        let other = try ConditionRunner().compile("date('now')")
        let then = try #require(Timestamp("2001-01-01"))
        let later = try #require(Timestamp("2002-02-02"))
        let first = one.evaluate(before: nil, after: nil, names: [], now: then)
        #expect(
            other.evaluate(before: nil, after: nil, names: [], now: later) == .value(.text("2002-02-02"), isTrue: true)
        )
        #expect(one.evaluate(before: nil, after: nil, names: [], now: then) == first)
    }

    @Test(arguments: [Int64.min, -1, 0, Int64.max])
    func `a time far away is no trap`(milliseconds: Int64) throws {
        let condition = try ConditionRunner().compile("date('now') || now")
        let answer = condition.evaluate(before: nil, after: nil, names: [], now: Timestamp(milliseconds: milliseconds))
        if case .failure(let message) = answer { #expect(!message.isEmpty) }
    }

    @Test(arguments: [
        "date(now, 'localtime')", "date('now', 'UTC')", "datetime(now, 'local' || 'time')",
        "strftime('%H', now, after ->> 'zone')", "time(now, '+1 day', 'LocalTime')", "unixepoch('now', 'utc')",
        "julianday(now, CAST('utc' AS BLOB))",
    ])
    func `the machine's time zone is out of reach`(text: String) throws {
        let answer = try outcome(text, after: #"{"zone":"localtime"}"#)
        #expect(answer == .failure("conditions count in UTC; for another time zone use local_time(text, zone)"))
    }
}
