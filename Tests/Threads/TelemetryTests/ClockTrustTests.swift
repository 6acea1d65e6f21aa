import Model
import Testing
@testable import Telemetry

/// The believed time when the machine's clock jumps.
struct ClockTrustTests {
    private static let year: Int64 = 365 * 86_400_000
    private static let start: Int64 = 1_700_000_000_000

    @Test(arguments: [1, -1, 60_000, -60_000, Limits.clockStepMilliseconds, -Limits.clockStepMilliseconds])
    func `a correction by a time server is taken over at once`(step: Int64) {
        var trust = ClockTrust(wall: Self.start, steady: 0)
        #expect(trust.time(wall: Self.start + 1000 + step, steady: 1000) == Self.start + 1000 + step)
        #expect(trust.heldMilliseconds == nil)
    }

    @Test(arguments: [20 * year, -20 * year, Limits.clockStepMilliseconds + 1, -Limits.clockStepMilliseconds - 1])
    func `after a larger step the old time goes on, and a clock that comes back is trusted again at once`(step: Int64) {
        var trust = ClockTrust(wall: Self.start, steady: 500)
        for second in Int64(1)...600 {
            let steady = 500 + second * 1000
            #expect(trust.time(wall: Self.start + second * 1000 + step, steady: steady) == Self.start + second * 1000)
            #expect(trust.heldMilliseconds == step)
        }
        #expect(trust.time(wall: Self.start + 601_000, steady: 601_500) == Self.start + 601_000)
        #expect(trust.heldMilliseconds == nil)
    }

    @Test func `a clock that stands by its new time is believed in the end`() {
        var trust = ClockTrust(wall: Self.start, steady: 0)
        let step = 56 * Self.year
        let held = Limits.clockHeldMilliseconds
        #expect(trust.time(wall: Self.start + step, steady: 0) == Self.start)
        #expect(trust.time(wall: Self.start + step + held - 1, steady: held - 1) == Self.start + held - 1)
        #expect(trust.time(wall: Self.start + step + held, steady: held) == Self.start + step + held)
        #expect(trust.heldMilliseconds == nil)
    }

    @Test func `a clock that jumps about is not believed however long it does`() {
        var trust = ClockTrust(wall: Self.start, steady: 0)
        for minute in Int64(1)...120 {
            let steady = minute * 60_000
            let step = (minute % 2 == 0 ? 20 : -20) * Self.year
            #expect(trust.time(wall: Self.start + steady + step, steady: steady) == Self.start + steady)
        }
    }

    @Test func `the process's own clock goes with the machine's`() {
        let difference = WallClock.steady.now().milliseconds - WallClock.system.now().milliseconds
        #expect(abs(difference) < 1000)
        #expect(WallClock.steady.heldMilliseconds() == nil)
    }
}
