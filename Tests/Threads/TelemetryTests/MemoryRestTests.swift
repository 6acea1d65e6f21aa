import Model
import Testing

@testable import Telemetry

@Suite struct MemoryRestTests {
    private static let step = Limits.trimmedGrowthBytes
    private static let pause = Limits.trimPauseMilliseconds
    private var rest = MemoryRest(resident: 10 * step, work: 0, at: 0)

    /// A look at the process.
    /// - Parameter used: The bytes in use; nil where they must not be counted.
    private mutating func expect(
        _ isDue: Bool, resident: Int, used: Int? = nil, work: Int = 0, at now: Int64 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var isCounted = false
        let seen = rest.isDue(
            resident: resident,
            used: {
                isCounted = true
                return used ?? 0
            }, work: work, at: now)
        #expect(seen == isDue, sourceLocation: sourceLocation)
        #expect(isCounted == (used != nil), "the bytes in use", sourceLocation: sourceLocation)
    }

    @Test mutating func `growth is given back when little happens`() {
        expect(false, resident: 11 * Self.step - 1)
        expect(true, resident: 11 * Self.step)
        rest.gaveBack(resident: 10 * Self.step, used: 5 * Self.step, at: 0)
        expect(false, resident: 11 * Self.step - 1)
    }

    @Test mutating func `a busy server gives back only a lot, and not often`() {
        expect(false, resident: 13 * Self.step, work: Limits.idleWorkMax, at: Self.pause)
        expect(false, resident: 14 * Self.step, work: 2 * Limits.idleWorkMax, at: Self.pause - 1)
        expect(true, resident: 14 * Self.step, work: 3 * Limits.idleWorkMax, at: Self.pause)
        expect(false, resident: 13 * Self.step, work: 4 * Limits.idleWorkMax, at: Self.pause)
    }

    /// A look in the middle of a burst gives back what is free, and the rest is freed only later.
    @Test mutating func `memory that was in use when some was given back is given back when it is free`() {
        expect(true, resident: 14 * Self.step)
        rest.gaveBack(resident: 13 * Self.step, used: 8 * Self.step, at: 0)
        let resident = 13 * Self.step
        expect(false, resident: resident, used: 7 * Self.step + 1)
        expect(false, resident: resident, used: 9 * Self.step)
        expect(false, resident: resident, work: Limits.idleWorkMax)
        expect(true, resident: resident, used: 7 * Self.step, work: Limits.idleWorkMax)
        rest.gaveBack(resident: 10 * Self.step, used: 7 * Self.step, at: 0)
        // The process is as small as it was: nothing has to be counted.
        expect(false, resident: 11 * Self.step - 1, work: Limits.idleWorkMax)
    }
}
