import Foundation
import GRDBSQLite
import Model

/// The SQL function `next_occurrence(rule, start, after[, zone])`: the first instant after `after`, as RFC 3339 in UTC,
/// of a series that began at `start`; see ``RecurrenceRule``. NULL when there is none, when the rule is NULL or empty,
/// and when another argument is NULL.
///
/// `start` is the time on a clock in the zone (UTC without one), or a time with an offset; `after` is an instant.
enum ConditionNextOccurrence {
    static let name = "next_occurrence"

    /// Registers the function, with three and with four arguments.
    @unsafe
    static func register(in connection: OpaquePointer) throws(PatternProblem) {
        for count in [3, 4] as [Int32] {
            try unsafe ConditionFunction.register(name, count, in: connection, callNextOccurrence)
        }
    }

    /// - Throws: ``PatternProblem`` that says what cannot be read.
    static func instant(_ rule: String, _ start: String, _ after: String, zone name: String?) throws(PatternProblem)
        -> Timestamp?
    {
        guard !rule.isEmpty else { return nil }
        guard let start = WallTime(start) else {
            throw problem("'\(start.prefix(80))' is not a time such as 2026-11-21T09:00")
        }
        guard let after = WallTime(after).map({ $0.instant ?? $0.wall }) else {
            throw problem("'\(after.prefix(80))' is not a time such as 2026-11-21T08:00:00Z")
        }
        let parsed: RecurrenceRule
        do { parsed = try RecurrenceRule(rule) } catch { throw problem(error.message) }
        guard let zone = TimeZone(iana: name ?? "UTC") else {
            throw problem("'\((name ?? "").prefix(80))' is not a time zone such as Europe/Rome")
        }
        if name == nil, let instant = start.instant {
            // A start with an offset repeats by the clock of that offset.
            let offset = start.wall.milliseconds - instant.milliseconds
            return parsed.next(from: start.wall, after: after, shown: after.adding(milliseconds: offset)) {
                $0.adding(milliseconds: -offset)
            }
        }
        let shown = WallTime(wall: after, instant: after, hasTime: true).shown(in: zone)
        return parsed.next(from: start.shown(in: zone), after: after, shown: shown) {
            WallTime(wall: $0, instant: nil, hasTime: true).instant(in: zone)
        }
    }

    private static func problem(_ text: String) -> PatternProblem { PatternProblem("\(name): \(text)") }
}

/// The callback: reads the texts and sets the result.
private func callNextOccurrence(context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let context = unsafe context, let values = unsafe values, count == 3 || count == 4 else { return }
    var texts: [String] = []
    for index in 0..<Int(count) {
        guard let text = unsafe sqlite3_value_text(values[index]) else { return }
        unsafe texts.append(String(cString: text))
    }
    do {
        let zone = count == 4 ? texts[3] : nil
        guard let instant = try ConditionNextOccurrence.instant(texts[0], texts[1], texts[2], zone: zone) else {
            return
        }
        unsafe sqlite3_result_text(context, instant.text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    } catch {
        unsafe sqlite3_result_error(context, error.message, -1)
    }
}
