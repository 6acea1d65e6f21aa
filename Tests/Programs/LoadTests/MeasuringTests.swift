import JSON
import Testing

@testable import watchwise_load

/// The figures of a run: percentiles, intended starts, and whether the generator was the limit.
@Suite struct MeasuringTests {
    @Test func `percentiles are those of the times, to three digits`() throws {
        var times = Latencies()
        for number in 1...10_000 { times.record(.microseconds(number)) }
        let summary = times.summary
        #expect(summary.count == 10_000)
        for (percentile, wanted) in [(50.0, 5_000.0), (90, 9_000), (99, 9_900), (99.9, 9_990), (100, 10_000)] {
            let seen = try #require(summary.microseconds(at: percentile))
            #expect(abs(Double(seen) - wanted) / wanted < 0.001)
        }
        #expect(summary.curve.map(\.microseconds) == summary.curve.map(\.microseconds).sorted())
    }

    @Test func `a stall of the server makes all that were due meanwhile late`() {
        let begin = ContinuousClock.now
        var arrivals = Arrivals(perSecond: 1_000, begin: begin)
        var taken: [Duration] = []
        // Nobody looked for a second: the thousand due messages are taken now, each with its own intended start.
        while let intended = arrivals.next(at: begin + .milliseconds(999)) { taken.append(intended - begin) }
        #expect(taken.count == 1_000)
        #expect(taken.first == .zero)
        #expect(taken.last == .milliseconds(999))
        #expect(arrivals.next(at: begin + .milliseconds(999)) == nil)
        #expect(arrivals.next(at: begin + .milliseconds(1_000)) == begin + .milliseconds(1_000))
    }

    @Test func `those of one millisecond start one after the other`() {
        let begin = ContinuousClock.now
        var arrivals = Arrivals(perSecond: 8_000, begin: begin)
        var taken: [Duration] = []
        while let intended = arrivals.next(at: begin + .milliseconds(1)) { taken.append(intended - begin) }
        #expect(taken == (0...8).map { .microseconds(125 * $0) })
        #expect(arrivals.due == begin + .microseconds(9 * 125))
    }

    @Test func `start times stay as long as somebody waits for them`() {
        let begin = ContinuousClock.now
        var starts = StartTimes()
        for number in 0..<2_000 { starts.append(begin + .milliseconds(number)) }
        starts.forget(below: 1_500)
        #expect(starts.count == 2_000)
        #expect(starts[1_499] == nil)
        #expect(starts[1_500] == begin + .milliseconds(1_500))
        #expect(starts[2_000] == nil)
    }

    @Test(arguments: [
        (Generator(share: 0.5), false), (Generator(share: 0.97), true),
        (Generator(share: 0.97, lateMicroseconds: 900, isPaced: true), false),
        (Generator(share: 0.2, lateMicroseconds: 9_000, isPaced: true), true),
        (Generator(share: 0.2, othersShare: 0.05), false), (Generator(share: 0.2, othersShare: 0.6), true),
    ])
    func `a generator at its limit says so`(generator: Generator, isLimit: Bool) {
        #expect((generator.problem != nil) == isLimit)
        #expect(Generator(generator.json) == generator)
    }

    @Test func `this process uses what the meter says`() throws {
        let reading = try ProcessMeter.own.read(isThorough: true)
        #expect(reading.cpuSeconds > 0)
        #expect(reading.residentBytes > 1 << 20)
        #expect(reading.descriptors > 2)
        #expect(throws: LoadFailure.self) { try ProcessMeter(pid: 1 << 30).read() }
    }

    @Test(arguments: [(0.0341, "0.034"), (1.234, "1.23"), (12.34, "12.3"), (1234.5, "1,235"), (0, "0")])
    func `figures have as many digits as say something`(value: Double, text: String) {
        #expect(Figures.short(value) == text)
    }
}
