import Model
import Testing

@testable import StoreThread

/// Writes go first in a burst, and the index is never too late.
struct SearchPaceTests {
    private func pause(entriesASecond rate: Int64, lag: Int64, waiting: Int = 0) -> Int64 {
        var pace = SearchPace()
        var pause: Int64 = 0
        for second in 0..<3 as Range<Int64> {
            pause = pace.pause(after: 10, Position(rate * second), lag: lag, waiting: waiting, at: second * 1000)
        }
        return pause
    }

    @Test("at a usual pace slice follows slice; in a burst the thread takes 2 % of the time")
    func bursts() {
        #expect(pause(entriesASecond: 2000, lag: 50) == 1)
        #expect(pause(entriesASecond: 9999, lag: 50_000) == 1)
        #expect(pause(entriesASecond: 10_000, lag: 50_000) == 490)
        #expect(pause(entriesASecond: 40_000, lag: 999_999) == 490)
    }

    @Test("where many writes wait, each pace is a burst")
    func waiting() {
        #expect(pause(entriesASecond: 2000, lag: 50, waiting: SearchPace.waitingMin - 1) == 1)
        #expect(pause(entriesASecond: 2000, lag: 50, waiting: SearchPace.waitingMin) == 490)
    }

    @Test("an index that is too late goes on at full speed in a burst")
    func late() {
        #expect(pause(entriesASecond: 40_000, lag: 1_000_000) == 1)
    }

    @Test("after a burst slice follows slice again")
    func afterwards() {
        var pace = SearchPace()
        _ = pace.pause(after: 10, Position(0), lag: 0, waiting: 0, at: 0)
        #expect(pace.pause(after: 10, Position(40_000), lag: 40_000, waiting: 0, at: 1000) == 490)
        #expect(pace.pause(after: 10, Position(40_000), lag: 40_000, waiting: 0, at: 1100) == 490)
        #expect(pace.pause(after: 10, Position(40_010), lag: 39_000, waiting: 0, at: 1500) == 1)
    }
}
