import Model

/// When the writer is next to look after what goes with time, and what time it is for that.
///
/// Ages are measured by a clock that goes on evenly from the start: one that jumps by years, as set by hand or by a bad
/// time server, neither empties the log nor keeps it for ever.
///
/// - Confinement: any
struct Housekeeping {
    private let startedAt: Timestamp
    private let startedTick: Int64
    /// Milliseconds until the first step, and between two when nothing is due.
    static let pauseMilliseconds: Int64 = 1000

    /// - Parameters:
    ///   - wall: what the wall clock shows now.
    ///   - tick: milliseconds on a clock that nobody sets.
    init(wall: Timestamp, tick: Int64) {
        startedAt = wall
        startedTick = tick
    }

    /// The time by which ages count.
    func now(tick: Int64) -> Timestamp { startedAt.adding(milliseconds: tick - startedTick) }

    /// Milliseconds until the next step.
    ///
    /// - Parameter took: what the last one took, in milliseconds.
    static func pause(after took: Int64, isMoreDue: Bool) -> Int64 {
        isMoreDue ? max(10, took * Limits.trimmingPauseFactor) : pauseMilliseconds
    }
}
