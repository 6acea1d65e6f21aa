import Model

/// Which lines of the log have been said a moment ago: times in, verdicts out.
///
/// A disk that fails fails a thousand times a second, and the log stands on a disk as well.
struct LogRepetitions: Sendable {
    private struct Line {
        var saidAt: Int64
        var suppressed = 0
    }

    private var lines: [String: Line] = [:]

    /// Whether a line is to be written.
    ///
    /// - Parameters:
    ///   - line: what makes it the same line.
    ///   - now: milliseconds of a clock that does not jump.
    /// - Returns: how often it was left out since it was last written; nil when it is to be left out again.
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
