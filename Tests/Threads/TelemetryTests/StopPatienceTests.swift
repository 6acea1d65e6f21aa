import Model
import Testing
@testable import Telemetry

/// How long a stop waits.
struct StopPatienceTests {
    @Test func `a stop waits as long as commits end, and no longer than it may`() {
        var patience = StopPatience(at: 0, milliseconds: 30_000, commits: 7)
        for second in Int64(1)...29 {
            let deadline = patience.deadline(at: second * 1000, pending: 5, commits: 7 + Int(second) / 5)
            #expect(deadline == min(30_000, second * 1000 + 1500))
        }
        #expect(patience.deadline(at: 30_000, pending: 5, commits: 90) == nil)
    }

    @Test func `a stop does not wait for a disk that does not answer, nor for nothing`() {
        var patience = StopPatience(at: 0, milliseconds: 30_000, commits: 7)
        #expect(patience.deadline(at: 1000, pending: 0, commits: 7) == nil)
        #expect(patience.deadline(at: 14_000, pending: 1, commits: 7) != nil)
        #expect(patience.deadline(at: Limits.stopStalledMilliseconds, pending: 1, commits: 7) == nil)
        #expect(patience.deadline(at: 16_000, pending: 1, commits: 8) != nil)
    }
}
