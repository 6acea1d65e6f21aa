import Execution
import Model

/// When the writer is next to look after what goes with time, and what time it is for that.
///
/// Ages are measured by a clock that goes on evenly from the start: one that jumps by years, as set by hand or by a bad
/// time server, neither empties the log nor keeps it for ever.
///
/// A second clock, that of the log, goes on from the newest time that anything was given, where the wall clock is earlier
/// at the start: no mark of the log gets a time before an earlier one.
///
/// - Confinement: any
struct Housekeeping {
    private let startedAt: Timestamp
    private let startedTick: Int64
    /// By how many milliseconds the log's clock is ahead of the wall clock as it was at the start.
    private var logAhead: Int64
    /// Marks from here on were made by this process.
    let firstMark: Position
    /// Milliseconds until the first step, and between two when nothing is due.
    static let pauseMilliseconds: Int64 = 1000

    /// - Parameters:
    ///   - wall: what the wall clock shows now.
    ///   - tick: milliseconds on a clock that nobody sets.
    ///   - newest: the newest time that is stored of what goes with time; nil when there is none.
    ///   - head: of the log now.
    init(wall: Timestamp, tick: Int64, newest: Timestamp?, head: Position) {
        startedAt = wall
        startedTick = tick
        logAhead = max(0, (newest ?? wall).milliseconds - wall.milliseconds)
        firstMark = head
    }

    /// The times by which ages count.
    func clocks(tick: Int64) -> TrimLog.Clocks {
        let now = startedAt.adding(milliseconds: tick - startedTick)
        return TrimLog.Clocks(now: now, log: now.adding(milliseconds: logAhead))
    }

    /// By how many milliseconds the wall clock, as it is believed now, is ahead of the log's; zero when it is not.
    ///
    /// The wall clock is ahead when it was set while the process ran, by however little. Then the marks that the process
    /// has made must be moved with the log's clock: by the clock of the next process they would be older than they are.
    func lag(wall: Timestamp, tick: Int64) -> Int64 {
        let log = startedAt.milliseconds + tick - startedTick + logAhead
        return max(0, wall.milliseconds - log)
    }

    /// The log's clock is put right, and the marks from ``firstMark`` on.
    mutating func catchUp(byMilliseconds milliseconds: Int64) { logAhead += milliseconds }

    /// Milliseconds until the next step.
    ///
    /// - Parameter took: what the last one took, in milliseconds.
    static func pause(after took: Int64, isMoreDue: Bool) -> Int64 {
        isMoreDue ? max(10, took * Limits.trimmingPauseFactor) : pauseMilliseconds
    }
}
