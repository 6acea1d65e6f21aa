import ClientProtocol
import Model
import TestSupport
import Testing
@testable import Configuration
@testable import Gateway

/// The decision alone: facts and a clock in, decisions out.
struct StartAdmissionTests {
    private var random = SeededRandom(seed: 11)

    private func admission(inWork: Int = 2, waiting: Int = 3, wait: Int64 = 5_000) -> StartAdmission<Int> {
        var bounds = StartBounds()
        bounds.inWorkMax = inWork
        bounds.waitingMax = waiting
        bounds.waitMilliseconds = wait
        return StartAdmission(bounds: bounds)
    }

    @Test mutating func `starts begin at once while there is room, then wait, then are turned away`() {
        var admission = admission()
        let decisions = (0..<6).map { admission.ask($0, at: 0, using: &random) }
        #expect(decisions[..<5] == [.begin, .begin, .wait, .wait, .wait])
        guard case .turnAway = decisions[5] else { return #expect(Bool(false), "\(decisions[5])") }
        #expect(admission.inWork == 2)
        #expect(admission.waitingCount == 3)
    }

    @Test mutating func `waiting clients begin in the order of their arrival, each when another is done`() {
        var admission = admission()
        for waiter in 0..<5 { _ = admission.ask(waiter, at: 0, using: &random) }
        #expect(admission.next(at: 1) == nil)
        var begun: [Int] = []
        for _ in 0..<3 {
            admission.ended()
            if let next = admission.next(at: 2) { begun.append(next) }
            #expect(admission.inWork == 2)
        }
        #expect(begun == [2, 3, 4])
        admission.ended()
        #expect(admission.next(at: 3) == nil)
    }

    @Test mutating func `a newcomer does not overtake those who wait`() {
        var admission = admission()
        for waiter in 0..<3 { _ = admission.ask(waiter, at: 0, using: &random) }
        admission.ended()
        #expect(admission.ask(9, at: 0, using: &random) == .wait)
        #expect(admission.next(at: 0) == 2)
    }

    @Test mutating func `a client that leaves gives its place to another one`() {
        var admission = admission()
        for waiter in 0..<5 { _ = admission.ask(waiter, at: 0, using: &random) }
        admission.left(3)
        #expect(admission.ask(5, at: 0, using: &random) == .wait)
        admission.ended()
        admission.ended()
        #expect([admission.next(at: 0), admission.next(at: 0)] == [2, 4])
    }

    @Test mutating func `a client that has waited too long is asked to come back later, and the others go on waiting`()
        throws
    {
        var admission = admission(inWork: 0, wait: 1_000)
        _ = admission.ask(1, at: 0, using: &random)
        _ = admission.ask(2, at: 400, using: &random)
        #expect(admission.nextOverdue(at: 999, using: &random) == nil)
        let overdue = try #require(admission.nextOverdue(at: 1_000, using: &random))
        #expect(overdue.waiter == 1)
        #expect(overdue.reconnectInMilliseconds >= Limits.reconnectMilliseconds)
        #expect(admission.nextOverdue(at: 1_000, using: &random) == nil)
        #expect(admission.waitingCount == 1)
        #expect(admission.nextOverdue(at: 1_400, using: &random)?.waiter == 2)
        #expect(admission.nextOverdue(at: 9_000, using: &random) == nil)
    }

    @Test mutating func `the more are turned away, the longer they are spread, up to a bound`() {
        var admission = admission(inWork: 0, waiting: 100, wait: 1_000)
        for waiter in 0..<100 { _ = admission.ask(waiter, at: 0, using: &random) }
        let delays = (100..<2_100).compactMap { waiter -> Int64? in
            guard case .turnAway(let delay) = admission.ask(waiter, at: 0, using: &random) else { return nil }
            return delay - Limits.reconnectMilliseconds
        }
        #expect(delays.count == 2_000)
        #expect(delays.allSatisfy { $0 >= 0 })
        #expect(delays[..<99].allSatisfy { $0 <= 2_000 })
        #expect((38_000...42_000).contains(delays.max() ?? 0))
        // About a hundred come in each second: no second is crowded.
        var bySecond: [Int64: Int] = [:]
        for delay in delays { bySecond[delay / 1_000, default: 0] += 1 }
        #expect(bySecond.values.max() ?? 0 < 400)
        for waiter in 2_100..<6_000 { _ = admission.ask(waiter, at: 0, using: &random) }
        guard case .turnAway(let last) = admission.ask(6_000, at: 0, using: &random) else { return }
        #expect(last <= Limits.reconnectMilliseconds + Limits.reconnectSpreadMilliseconds)
    }

    @Test mutating func `a storm is reported once, when it is over`() {
        var admission = admission(inWork: 1, waiting: 2)
        for waiter in 0..<4 { _ = admission.ask(waiter, at: 10, using: &random) }
        #expect(admission.takeStorm() == nil)
        for time in [50, 90] as [Int64] {
            admission.ended()
            _ = admission.next(at: time)
        }
        #expect(admission.takeStorm() == .init(waited: 2, turnedAway: 1, longestWaitMilliseconds: 80))
        #expect(admission.takeStorm() == nil)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    mutating func `in a run of random events the bounds hold, and every client is begun once`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var admission = admission(inWork: 4, waiting: 16, wait: 300)
        var waiting: [Int] = []
        var working: [Int] = []
        for now in 0..<2_000 as Range<Int64> {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                switch admission.ask(Int(now), at: now, using: &random) {
                case .begin: working.append(Int(now))
                case .wait: waiting.append(Int(now))
                case .turnAway: #expect(waiting.count == 16, "seed \(seed)")
                }
            case 2:
                if !working.isEmpty {
                    working.removeFirst()
                    admission.ended()
                }
                while let next = admission.next(at: now) {
                    #expect(next == waiting.removeFirst(), "seed \(seed)")
                    working.append(next)
                }
            default:
                if let leaving = waiting.randomElement(using: &random), Bool.random(using: &random) {
                    waiting.removeAll { $0 == leaving }
                    admission.left(leaving)
                }
                while let (overdue, _) = admission.nextOverdue(at: now, using: &random) {
                    #expect(overdue == waiting.removeFirst(), "seed \(seed)")
                }
            }
            #expect(admission.waitingCount == waiting.count && waiting.count <= 16, "seed \(seed)")
            #expect(admission.inWork == working.count && working.count <= 4, "seed \(seed)")
        }
    }

    @Test func `the delay after a drain lies in the drain's window, any other delay is about a second`() {
        var random = SeededRandom(seed: 3)
        let drains = (0..<200).map { _ in ReconnectDelay.milliseconds(after: .drain, using: &random) }
        #expect(drains.allSatisfy { (200...3_000).contains($0) })
        #expect(Set(drains).count > 150)
        let others = (0..<200).map { _ in ReconnectDelay.milliseconds(after: .stalled, using: &random) }
        #expect(others.allSatisfy { (1_000...2_000).contains($0) })
    }
}
