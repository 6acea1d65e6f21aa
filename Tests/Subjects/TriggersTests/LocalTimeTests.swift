import JSON
import Model
import Testing
import Triggers

/// `local_time(text, zone)` in expressions.
@Suite struct LocalTimeTests {
    private static func value(_ text: JSONValue, _ zone: JSONValue) throws -> Condition.Outcome {
        let after: JSONValue = ["due": text, "zone": zone]
        return try ConditionRunner().compile("local_time(after ->> 'due', after ->> 'zone')")
            .evaluate(before: nil, after: after.bytes, names: [], now: Timestamp(milliseconds: 0))
    }

    @Test(arguments: [
        ("2026-11-21T09:00", "Europe/Rome", "2026-11-21T08:00:00.000Z"),
        ("2026-07-21T09:00:30", "Europe/Rome", "2026-07-21T07:00:30.000Z"),
        ("2026-07-21 09:00:30.25", "Europe/Rome", "2026-07-21T07:00:30.250Z"),
        ("2026-11-21", "Europe/Athens", "2026-11-20T22:00:00.000Z"),
        ("2026-11-21T09:00", "UTC", "2026-11-21T09:00:00.000Z"),
        ("2026-11-21T09:00", "America/New_York", "2026-11-21T14:00:00.000Z"),
        ("2026-11-21T09:00", "Asia/Kathmandu", "2026-11-21T03:15:00.000Z"),
        // A text with an offset is already an instant.
        ("2026-11-21T09:00Z", "Europe/Rome", "2026-11-21T09:00:00.000Z"),
        ("2026-11-21T09:00:00+05:30", "Europe/Rome", "2026-11-21T03:30:00.000Z"),
        // The clock is put forward over this time: later by the length of the skip.
        ("2026-03-29T01:59:59", "Europe/Rome", "2026-03-29T00:59:59.000Z"),
        ("2026-03-29T02:30", "Europe/Rome", "2026-03-29T01:30:00.000Z"),
        ("2026-03-29T03:00", "Europe/Rome", "2026-03-29T01:00:00.000Z"),
        ("2026-03-08T02:30", "America/New_York", "2026-03-08T07:30:00.000Z"),
        ("2026-10-04T02:15", "Australia/Lord_Howe", "2026-10-03T15:45:00.000Z"),
        ("2011-12-30T12:00", "Pacific/Apia", "2011-12-30T22:00:00.000Z"),
        // The clock is put back and shows it twice: the first one.
        ("2026-10-25T01:59", "Europe/Rome", "2026-10-24T23:59:00.000Z"),
        ("2026-10-25T02:00", "Europe/Rome", "2026-10-25T00:00:00.000Z"),
        ("2026-10-25T02:59", "Europe/Rome", "2026-10-25T00:59:00.000Z"),
        ("2026-10-25T03:00", "Europe/Rome", "2026-10-25T02:00:00.000Z"),
        ("2026-11-01T01:30", "America/New_York", "2026-11-01T05:30:00.000Z"),
    ])
    func `a clock's time is an instant, right across changes of the clock`(text: String, zone: String, expected: String)
        throws
    {
        #expect(try Self.value(.string(text), .string(zone)) == .value(.text(expected), isTrue: true))
    }

    @Test func `a missing time or zone gives a missing value`() throws {
        #expect(try Self.value(nil, "Europe/Rome") == .value(.null, isTrue: false))
        #expect(try Self.value("2026-11-21T09:00", nil) == .value(.null, isTrue: false))
        #expect(try Self.value("2026-11-21T09:00Z", nil) == .value(.text("2026-11-21T09:00:00.000Z"), isTrue: true))
    }

    @Test(arguments: [
        ("tomorrow", "Europe/Rome", "local_time: 'tomorrow' is not a time such as 2026-11-21T09:00"),
        ("2026-02-30T09:00", "Europe/Rome", "local_time: '2026-02-30T09:00' is not a time such as 2026-11-21T09:00"),
        ("2026-11-21T09:00", "Europe/Roma", "local_time: 'Europe/Roma' is not a time zone such as Europe/Rome"),
        ("2026-11-21T09:00", "CET", "local_time: 'CET' is not a time zone such as Europe/Rome"),
        (
            "2026-11-21T09:00", "../../etc/passwd",
            "local_time: '../../etc/passwd' is not a time zone such as Europe/Rome"
        ),
        ("", "Europe/Rome", "local_time: '' is not a time such as 2026-11-21T09:00"),
    ])
    func `a time or a zone that cannot be read fails with a sentence`(text: String, zone: String, message: String)
        throws
    {
        #expect(try Self.value(.string(text), .string(zone)) == .failure(message))
    }

    @Test func `local_time has two arguments, and its result can be used as a time`() throws {
        let runner = try ConditionRunner()
        #expect(throws: PatternProblem.self) { try runner.compile("local_time('2026-11-21')") }
        let reminder = try runner.compile("datetime(local_time('2026-11-21T09:00', 'Europe/Rome'), '-15 minutes')")
        let outcome = reminder.evaluate(before: nil, after: nil, names: [], now: Timestamp(milliseconds: 0))
        #expect(outcome == .value(.text("2026-11-21 07:45:00"), isTrue: true))
    }
}
