package import Model

/// Which stored times are too young to be forgotten, by two clocks.
///
/// The wall clock may be wrong for a whole run of the server, so that stored times neither ascend nor lie in the past.
/// The other clock, that of the log, never shows less than any time the log was given, and goes on evenly.
///
/// - A time up to the wall clock's is as old as the wall clock says. When the wall clock is slow, the time looks
///   younger than it is, and is kept too long; never too short.
/// - A time ahead of the wall clock was given by a fast clock, or the wall clock is slow now. Either way the clock of
///   the log has counted at least the time that the server ran since: so the time is as old as that clock says. Without
///   this rule a time that is twenty years ahead would stay for twenty years.
/// - A time far ahead of both clocks says nothing at all, and keeps nothing.
///
/// - Confinement: any
package struct KeptTimes: Sendable {
    /// Times after the first and up to the second of a pair are young.
    let past: (after: Int64, upTo: Int64)
    let ahead: (after: Int64, upTo: Int64)

    /// - Parameters:
    ///   - milliseconds: how long something is kept.
    ///   - now: the time of the wall clock.
    ///   - log: the time of the log's clock; not less than any mark.
    ///   - boundMilliseconds: how far ahead of both a time may be to be believed; nil believes all.
    package init(
        _ milliseconds: Int64, at now: Timestamp, log: Timestamp, boundMilliseconds: Int64? = nil
    ) {
        past = (now.milliseconds - milliseconds, now.milliseconds)
        let upTo = boundMilliseconds.map { max(now, log).milliseconds + $0 } ?? .max
        ahead = (max(now.milliseconds, log.milliseconds - milliseconds), upTo)
    }

    /// True of a young `at`, with the values of ``arguments``.
    package static let condition = "((at > ? AND at <= ?) OR (at > ? AND at <= ?))"
    package var arguments: [(any StatementArgument)?] { [past.after, past.upTo, ahead.after, ahead.upTo] }
}
