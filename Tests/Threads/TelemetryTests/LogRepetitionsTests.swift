import Model
import Testing
@testable import Telemetry

/// A disk that fails a thousand times does not fill the log.
struct LogRepetitionsTests {
    @Test func `a line is written, left out for ten seconds, and written with how often it was left out`() {
        var lines = LogRepetitions()
        #expect(lines.admit("a", at: 1000) == 0)
        for now in Int64(1001)...1999 { #expect(lines.admit("a", at: now) == nil) }
        #expect(lines.admit("b", at: 2000) == 0)
        #expect(lines.admit("a", at: 1000 + Limits.logRepeatMilliseconds) == 999)
        #expect(lines.admit("a", at: 1001 + Limits.logRepeatMilliseconds) == nil)
        #expect(lines.admit("a", at: 1000 + 2 * Limits.logRepeatMilliseconds) == 1)
    }

    @Test func `when there are too many different lines, the oldest is forgotten`() {
        var lines = LogRepetitions()
        for number in 0...Limits.logRepeatsMax { #expect(lines.admit("\(number)", at: Int64(number)) == 0) }
        #expect(lines.admit("1", at: 100) == nil)
        #expect(lines.admit("0", at: 100) == 0)
    }
}
