import Model
import Testing

@testable import Quotas
@testable import ThreadMessages

/// The estimated time of an order, which decides whose turn is next.
struct OrderTimeTests {
    /// Somebody whose commands were light until now.
    private static func light() -> UserAccount {
        let account = UserAccount()
        account.write.note(80)
        account.read.note(80)
        return account
    }

    private static func read(_ account: UserAccount?, weight: Int) -> ReadOrder {
        ReadOrder(
            address: ConnectionAddress(loop: 0, slot: 1, generation: 1), work: .counts(StreamID(stored: 1)), bytes: 0,
            weight: weight, account: account, tick: 0)
    }

    @Test(arguments: [(1, 80), (2, 80), (3, 100), (201, 10_000)])
    func `a command is expected to take at least the time of its weight`(weight: Int, microseconds: Int) {
        #expect(Self.read(Self.light(), weight: weight).expectedMicroseconds == microseconds)
        #expect(WorkMean.ofWeight(weight) == (weight - 1) * 50)
    }

    @Test func `somebody without a history is expected to take long, and longer with a heavy command`() {
        #expect(Self.read(nil, weight: 1).expectedMicroseconds == WorkMean.ofUnknown)
        #expect(Self.read(UserAccount(), weight: 201).expectedMicroseconds == 10_000)
    }

    @Test func `the first heavy commands of a hundred people do not come before a light one`() {
        var schedule = FairSchedule()
        // A lane is an account's for as long as there is that account.
        let people = (0...101).map { _ in Self.light() }
        func append(_ number: Int, weight: Int) {
            let order = Self.read(people[number], weight: weight)
            schedule.append(number, to: order.lane, expected: order.expectedMicroseconds)
        }
        for number in 1...100 { append(number, weight: 201) }
        _ = schedule.next()
        append(101, weight: 1)
        #expect(schedule.next() == 101)
        #expect(schedule.count == 99)
    }
}
