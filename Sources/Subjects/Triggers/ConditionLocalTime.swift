import Foundation
import GRDBSQLite
import Model

/// The SQL function `local_time(text, zone)`: the instant, as RFC 3339 in UTC, at which a clock in an IANA zone shows a
/// time. A text with an offset means that instant in every zone. NULL when the text is NULL, or when a zone is needed
/// and is NULL.
///
/// Its answers follow the zone data that come with the program (ICU's), and change when laws change these.
enum ConditionLocalTime {
    static let name = "local_time"

    /// Registers the function.
    @unsafe
    static func register(in connection: OpaquePointer) throws(PatternProblem) {
        try unsafe ConditionFunction.register(name, 2, in: connection, callLocalTime)
    }

    /// - Throws: ``PatternProblem`` that says what cannot be read.
    static func instant(_ text: String, zone name: String?) throws(PatternProblem) -> Timestamp? {
        guard let time = WallTime(text) else {
            throw PatternProblem("local_time: '\(text.prefix(80))' is not a time such as 2026-11-21T09:00")
        }
        if let instant = time.instant { return instant }
        guard let name else { return nil }
        guard let zone = TimeZone(iana: name) else {
            throw PatternProblem("local_time: '\(name.prefix(80))' is not a time zone such as Europe/Rome")
        }
        return time.instant(in: zone)
    }
}

/// The callback: reads the two texts and sets the result.
private func callLocalTime(context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let context = unsafe context, let values = unsafe values, count == 2,
        let text = unsafe sqlite3_value_text(values[0])
    else { return }
    let zone = unsafe sqlite3_value_text(values[1]).map { unsafe String(cString: $0) }
    do {
        guard let instant = try unsafe ConditionLocalTime.instant(String(cString: text), zone: zone) else { return }
        unsafe sqlite3_result_text(context, instant.text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    } catch {
        unsafe sqlite3_result_error(context, error.message, -1)
    }
}
