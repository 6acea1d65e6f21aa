import Model
import Synchronization
import Telemetry
import Testing
@testable import Gateway

/// Sessions are numbered over all loops.
@Suite struct ClaimNumbersTests {
    @Test func `no number is given twice, and each loop's numbers rise`() async {
        let numbers = ClaimNumbers()
        let all = await withTaskGroup(of: [Int64].self) { group in
            for _ in 0..<4 { group.addTask { (0..<5000).map { _ in numbers.next() } } }
            return await group.reduce(into: [[Int64]]()) { $0.append($1) }
        }
        for one in all { #expect(zip(one, one.dropFirst()).allSatisfy { $0 < $1 }) }
        #expect(Set(all.joined()).count == 20_000)
    }

    @Test func `on a member a number is at least the time's, and greater than each that was given or heard`() {
        let time = SetTime()
        let numbers = ClaimNumbers(WallClock { time.now })
        time.set(1_000)
        #expect(numbers.next() == 1_000 * 65_536)
        #expect(numbers.next() == 1_000 * 65_536 + 1)
        numbers.note(1_005 * 65_536 + 7)
        #expect(numbers.next() == 1_005 * 65_536 + 8)
        numbers.note(3)
        #expect(numbers.next() == 1_005 * 65_536 + 9)
        time.set(2_000)
        #expect(numbers.next() == 2_000 * 65_536)
        // A clock that goes back changes nothing.
        time.set(1_000)
        #expect(numbers.next() == 2_000 * 65_536 + 1)
        numbers.note(.max)
        #expect(numbers.next() == 2_000 * 65_536 + 2)
    }

    /// A clock that shows what the test sets.
    ///
    /// - Confinement: any
    private final class SetTime: Sendable {
        private let milliseconds = Atomic<Int64>(0)

        var now: Timestamp { Timestamp(milliseconds: milliseconds.load(ordering: .relaxed)) }

        func set(_ time: Int64) { milliseconds.store(time, ordering: .relaxed) }
    }
}
