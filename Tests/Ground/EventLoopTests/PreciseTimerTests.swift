import EventLoop
import Testing

@Suite struct PreciseTimerTests {
    @Test func `a timer fires once for each start, at its moment and not a millisecond later`() throws {
        let pause = Duration.microseconds(300)
        var late: [Duration] = []
        var due = ContinuousClock.now
        try withLoop { loop in
            var timer: PreciseTimer?
            timer = try PreciseTimer(on: loop) {
                late.append(.now - due)
                guard late.count < 200 else {
                    timer?.close()
                    // If it fired again, it would do so within this time.
                    return _ = after(5, on: loop) { loop.stop() }
                }
                due = .now + pause
                timer?.start(after: pause)
            }
            due = .now + pause
            timer?.start(after: pause)
        }
        #expect(late.count == 200)
        #expect(late.allSatisfy { $0 >= .zero })
        // Only half of them count, since other programs may have the processor; rounded to milliseconds, half would be
        // 0.7 ms late.
        #expect(late.sorted()[100] < .microseconds(500))
    }

    @Test func `a time that is over fires at once, and a start takes the place of the one before`() throws {
        var fired = 0
        try withLoop { loop in
            let timer = try PreciseTimer(on: loop) { fired += 1 }
            timer.start(after: .milliseconds(1))
            timer.start(after: .seconds(-1))
            when({ fired > 0 }, on: loop) {
                // If the first start still counted, it would fire within this time.
                after(20, on: loop) {
                    timer.close()
                    loop.stop()
                }
            }
        }
        #expect(fired == 1)
    }
}
