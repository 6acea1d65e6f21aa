import Model
import Testing
import Triggers

/// `next_occurrence(rule, start, after[, zone])` in expressions.
@Suite struct NextOccurrenceTests {
    private static func outcome(_ arguments: String, _ runner: ConditionRunner) throws -> Condition.Outcome {
        try runner.compile("next_occurrence(\(arguments))")
            .evaluate(before: nil, after: nil, names: [], now: Timestamp(milliseconds: 0))
    }

    private static func text(_ arguments: String, _ runner: ConditionRunner) throws -> String? {
        guard case .value(.text(let text), _) = try outcome(arguments, runner) else { return nil }
        return text
    }

    /// The results of python-dateutil 2.9 for the same rules, one day after the other; `none` where the series ends.
    @Test(arguments: [
        (
            "FREQ=DAILY", "2026-11-21",
            "2026-11-21 2026-11-22 2026-11-23 2026-11-24 2026-11-25"
        ),
        (
            "FREQ=DAILY;INTERVAL=3", "2026-11-21",
            "2026-11-21 2026-11-24 2026-11-27 2026-11-30 2026-12-03"
        ),
        (
            "FREQ=DAILY;COUNT=4", "2026-11-21",
            "2026-11-21 2026-11-22 2026-11-23 2026-11-24 none"
        ),
        (
            "RRULE:FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR", "2026-11-21",
            "2026-11-23 2026-11-24 2026-11-25 2026-11-26 2026-11-27"
        ),
        (
            "FREQ=DAILY;BYMONTHDAY=13;BYDAY=FR", "2026-11-21",
            "2027-08-13 2028-10-13 2029-04-13 2029-07-13 2030-09-13"
        ),
        (
            "FREQ=DAILY;BYMONTH=1", "2026-11-21",
            "2027-01-01 2027-01-02 2027-01-03 2027-01-04 2027-01-05"
        ),
        (
            "freq=weekly", "2026-11-21",
            "2026-11-21 2026-11-28 2026-12-05 2026-12-12 2026-12-19"
        ),
        (
            "FREQ=WEEKLY;BYDAY=MO,TH", "2026-11-21",
            "2026-11-23 2026-11-26 2026-11-30 2026-12-03 2026-12-07"
        ),
        (
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU", "1997-08-05",
            "1997-08-05 1997-08-10 1997-08-19 1997-08-24 1997-09-02"
        ),
        (
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU", "1997-08-05",
            "1997-08-05 1997-08-17 1997-08-19 1997-08-31 1997-09-02"
        ),
        (
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU;COUNT=4", "1997-08-05",
            "1997-08-05 1997-08-17 1997-08-19 1997-08-31 none"
        ),
        (
            "FREQ=WEEKLY;UNTIL=20261212T090000", "2026-11-21",
            "2026-11-21 2026-11-28 2026-12-05 2026-12-12 none"
        ),
        (
            "FREQ=WEEKLY;UNTIL=20261211T090000", "2026-11-21",
            "2026-11-21 2026-11-28 2026-12-05 none"
        ),
        (
            "FREQ=MONTHLY", "2026-01-31",
            "2026-01-31 2026-03-31 2026-05-31 2026-07-31 2026-08-31"
        ),
        (
            "FREQ=MONTHLY;BYMONTHDAY=-1", "2026-01-31",
            "2026-01-31 2026-02-28 2026-03-31 2026-04-30 2026-05-31"
        ),
        (
            "FREQ=MONTHLY;BYMONTHDAY=1,15,-1;INTERVAL=2", "2026-01-31",
            "2026-01-31 2026-03-01 2026-03-15 2026-03-31 2026-05-01"
        ),
        (
            "FREQ=MONTHLY;BYDAY=2MO", "2026-01-31",
            "2026-02-09 2026-03-09 2026-04-13 2026-05-11 2026-06-08"
        ),
        (
            "FREQ=MONTHLY;BYDAY=-1FR,1SU", "2026-01-31",
            "2026-02-01 2026-02-27 2026-03-01 2026-03-27 2026-04-05"
        ),
        (
            "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "2026-01-31",
            "2026-02-13 2026-03-13 2026-11-13 2027-08-13 2028-10-13"
        ),
        (
            "FREQ=MONTHLY;BYDAY=WE", "2026-01-31",
            "2026-02-04 2026-02-11 2026-02-18 2026-02-25 2026-03-04"
        ),
        (
            "FREQ=MONTHLY;BYMONTHDAY=30;BYMONTH=2,4,6", "2026-01-31",
            "2026-04-30 2026-06-30 2027-04-30 2027-06-30 2028-04-30"
        ),
        (
            "FREQ=MONTHLY;COUNT=5;BYMONTHDAY=31", "2026-01-31",
            "2026-01-31 2026-03-31 2026-05-31 2026-07-31 2026-08-31"
        ),
        (
            "FREQ=YEARLY", "2024-02-29",
            "2024-02-29 2028-02-29 2032-02-29 2036-02-29 2040-02-29"
        ),
        (
            "FREQ=YEARLY;INTERVAL=3", "2024-02-29",
            "2024-02-29 2036-02-29 2048-02-29 2060-02-29 2072-02-29"
        ),
        (
            "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "2024-02-29",
            "2024-03-31 2025-03-30 2026-03-29 2027-03-28 2028-03-26"
        ),
        (
            "FREQ=YEARLY;BYMONTH=3,9", "2024-02-29",
            "2024-03-29 2024-09-29 2025-03-29 2025-09-29 2026-03-29"
        ),
        (
            "FREQ=YEARLY;BYDAY=20MO", "1997-05-19",
            "1997-05-19 1998-05-18 1999-05-17 2000-05-15 2001-05-14"
        ),
        (
            "FREQ=YEARLY;BYDAY=-1MO", "1997-05-19",
            "1997-12-29 1998-12-28 1999-12-27 2000-12-25 2001-12-31"
        ),
        (
            "FREQ=YEARLY;BYMONTHDAY=25;BYMONTH=12", "1997-05-19",
            "1997-12-25 1998-12-25 1999-12-25 2000-12-25 2001-12-25"
        ),
        (
            "FREQ=YEARLY;BYMONTHDAY=13;BYDAY=FR", "1997-05-19",
            "1997-06-13 1998-02-13 1998-03-13 1998-11-13 1999-08-13"
        ),
        (
            "FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=2,3,4,5,6,7,8;BYDAY=TU;INTERVAL=4", "1996-11-05",
            "1996-11-05 2000-11-07 2004-11-02 2008-11-04 2012-11-06"
        ),
        (
            "FREQ=YEARLY;BYDAY=TH", "1997-05-19",
            "1997-05-22 1997-05-29 1997-06-05 1997-06-12 1997-06-19"
        ),
        (
            "FREQ=YEARLY;COUNT=3", "2024-02-29",
            "2024-02-29 2028-02-29 2032-02-29 none"
        ),
    ])
    func `days are those of the rule, one after the other`(rule: String, start: String, expected: String) throws {
        let runner = try ConditionRunner()
        var after = start + "T08:00:00Z"
        for day in expected.split(separator: " ") {
            let next = try Self.text("'\(rule)', '\(start)T09:00', '\(after)'", runner)
            #expect(next == (day == "none" ? nil : "\(day)T09:00:00.000Z"))
            guard let next else { return }
            after = next
        }
    }

    @Test func `the clock of a zone decides, even in the nights when clocks change`() throws {
        let runner = try ConditionRunner()
        func next(_ zone: String, _ start: String, after: String) throws -> String? {
            try Self.text("'FREQ=DAILY', '\(start)', '\(after)', '\(zone)'", runner)
        }
        #expect(
            try next("Europe/Rome", "2027-03-01T09:00", after: "2027-03-27T08:00:00Z") == "2027-03-28T07:00:00.000Z")
        #expect(
            try next("Europe/Rome", "2027-03-01T02:30", after: "2027-03-27T22:00:00Z") == "2027-03-28T01:30:00.000Z")
        #expect(
            try next("Europe/Rome", "2027-03-01T09:00", after: "2027-10-30T07:00:00Z") == "2027-10-31T08:00:00.000Z")
        #expect(
            try next("America/Los_Angeles", "2027-03-01T18:00", after: "2027-03-13T03:00:00Z")
                == "2027-03-14T02:00:00.000Z")
        #expect(
            try next("Pacific/Auckland", "2027-03-01T00:30", after: "2027-03-01T11:29:59.999Z")
                == "2027-03-01T11:30:00.000Z", "not before it has passed")
        #expect(
            try next("Pacific/Auckland", "2027-03-01T00:30", after: "2027-03-01T11:30:00Z")
                == "2027-03-02T11:30:00.000Z", "after is after")
        #expect(
            try next("Europe/Rome", "2027-03-01T09:00+01:00", after: "2027-07-01T00:00:00Z")
                == "2027-07-01T07:00:00.000Z", "an instant repeats by the zone's clock")
        #expect(
            try Self.text("'FREQ=DAILY', '2027-03-01T09:00+01:00', '2027-07-01'", runner)
                == "2027-07-01T08:00:00.000Z", "and by its own offset where no zone is said")
    }

    @Test func `a rule ends with its day, its time, or its instant`() throws {
        let runner = try ConditionRunner()
        func last(_ until: String, _ after: String) throws -> String? {
            try Self.text("'FREQ=DAILY;UNTIL=\(until)', '2027-03-01T09:00', '\(after)', 'Europe/Rome'", runner)
        }
        for until in ["20270310", "2027-03-10", "20270310T090000", "20270310T080000Z"] {
            #expect(try last(until, "2027-03-09T12:00:00Z") == "2027-03-10T08:00:00.000Z", "\(until)")
            #expect(try last(until, "2027-03-10T08:00:00Z") == nil, "\(until)")
        }
        for until in ["20270309", "20270310T085959", "20270310T075959Z"] {
            #expect(try last(until, "2027-03-09T12:00:00Z") == nil, "\(until)")
        }
    }

    @Test func `without a rule, or with a missing part, there is no next time`() throws {
        let runner = try ConditionRunner()
        for arguments in [
            "NULL, '2027-03-01T09:00', '2027-03-01'", "'', '2027-03-01T09:00', '2027-03-01'",
            "'FREQ=DAILY', NULL, '2027-03-01'", "'FREQ=DAILY', '2027-03-01', NULL",
            "'FREQ=DAILY', '2027-03-01', '2027-03-01', NULL",
            // Days that never come, and days that are too far away.
            "'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', '2027-03-01', '2027-03-01'",
            "'FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=4', '2027-03-01', '2027-03-01'",
            "'FREQ=DAILY', '2027-03-01', '9999-12-31T23:00:00Z'",
        ] {
            #expect(try Self.outcome(arguments, runner) == .value(.null, isTrue: false), "\(arguments)")
        }
    }

    @Test(arguments: [
        ("WEEKLY", "'WEEKLY' is not a part of a rule such as FREQ=WEEKLY;BYDAY=MO"),
        ("INTERVAL=2", "a rule needs FREQ, as in FREQ=WEEKLY"),
        ("FREQ=HOURLY", "FREQ is one of DAILY, WEEKLY, MONTHLY, YEARLY, not HOURLY"),
        ("FREQ=DAILY;INTERVAL=0", "INTERVAL is 1 to 1000, not '0'"),
        ("FREQ=DAILY;COUNT=2000", "COUNT is 1 to 1000, not '2000'"),
        ("FREQ=DAILY;COUNT=2;UNTIL=20270101", "a rule has COUNT or UNTIL, not both"),
        ("FREQ=DAILY;UNTIL=tomorrow", "UNTIL is a day or a time such as 20271224T090000Z, not 'TOMORROW'"),
        ("FREQ=WEEKLY;BYDAY=MO,XX", "BYDAY has days such as MO, 2MO or -1FR, not 'XX'"),
        ("FREQ=WEEKLY;BYDAY=2MO", "BYDAY with a number, such as 2MO, is for FREQ=MONTHLY and FREQ=YEARLY"),
        ("FREQ=WEEKLY;BYMONTHDAY=1", "BYMONTHDAY is not for FREQ=WEEKLY"),
        ("FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY is -31 to 31 and not 0, not '0'"),
        ("FREQ=DAILY;FREQ=DAILY", "FREQ is there twice"),
        (
            "FREQ=MONTHLY;BYSETPOS=1",
            "BYSETPOS is not available; a rule has FREQ, INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, COUNT, UNTIL, WKST"
        ),
    ])
    func `an error in a rule names its part`(rule: String, message: String) throws {
        let outcome = try Self.outcome("'\(rule)', '2027-03-01T09:00', '2027-03-01'", ConditionRunner())
        #expect(outcome == .failure("next_occurrence: " + message))
    }

    @Test(arguments: [
        ("'FREQ=DAILY', 'soon', '2027-03-01'", "'soon' is not a time such as 2026-11-21T09:00"),
        ("'FREQ=DAILY', '2027-03-01', 'soon'", "'soon' is not a time such as 2026-11-21T08:00:00Z"),
        ("'FREQ=DAILY', '2027-03-01', '2027-03-01', 'Roma'", "'Roma' is not a time zone such as Europe/Rome"),
    ])
    func `so is what is wrong with the times`(arguments: String, message: String) throws {
        #expect(try Self.outcome(arguments, ConditionRunner()) == .failure("next_occurrence: " + message))
    }
}
