import Model

/// Finds lines of the log that were written a moment ago.
///
/// A failing disk may fail a thousand times a second, and the log is on a disk, too.
struct LogRepetitions: Sendable {
    private struct Line {
        var saidAt: Int64
        var suppressed = 0
    }

    private var lines: [String: Line] = [:]

    /// Whether to write a line.
    ///
    /// - Parameters:
    ///   - line: The text that makes two lines the same.
    ///   - now: Milliseconds of a clock that does not jump.
    /// - Returns: How many times the line was left out since it was last written; nil to leave it out again.
    package mutating func admit(_ line: String, at now: Int64) -> Int? {
        if var known = lines[line] {
            guard now - known.saidAt < Limits.logRepeatMilliseconds else {
                lines[line] = Line(saidAt: now)
                return known.suppressed
            }
            known.suppressed += 1
            lines[line] = known
            return nil
        }
        if lines.count >= Limits.logRepeatsMax, let oldest = lines.min(by: { $0.value.saidAt < $1.value.saidAt }) {
            lines[oldest.key] = nil
        }
        lines[line] = Line(saidAt: now)
        return 0
    }
}
