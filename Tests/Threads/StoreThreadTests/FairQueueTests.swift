import Model
import Testing
import ThreadMessages

@testable import Quotas
@testable import StoreThread

/// The order in which a thread takes orders when many users want something at once.
struct FairQueueTests {
    @Test func `lanes take turns, each in its order, and delayed items come first`() {
        var queue = FairQueue<Int>()
        let accounts = (0..<3).map { _ in UserAccount() }
        let lanes = accounts.map { FairLane($0, nil) }
        for number in 0..<300 { queue.append(number, to: lanes[0], expected: 250) }
        queue.append(1000, to: lanes[1], expected: 250)
        queue.append(1001, to: lanes[1], expected: 250)
        queue.append(2000, to: lanes[2], expected: 250)
        var taken = (0..<3).compactMap { _ in queue.next() }
        let time = queue.time
        taken += (0..<3).compactMap { _ in queue.next() }
        #expect(taken == [0, 1000, 2000, 1, 1001, 2])
        #expect(queue.count == 297)
        queue.putBack(taken[3...], since: time) { ($0 < 1000 ? lanes[0] : lanes[1], 250) }
        var rest: [Int] = []
        while let next = queue.next() { rest.append(next) }
        #expect(queue.isEmpty)
        #expect(rest.filter { $0 < 1000 } == Array(1..<300))
        #expect(rest.prefix(3).contains(1001))
    }

    @Test func `a lane goes on with small work for a moment, and a lane that comes meanwhile has the next turn`() {
        var queue = FairQueue<Int>()
        let accounts = (0..<3).map { _ in UserAccount() }
        let lanes = accounts.map { FairLane($0, nil) }
        for number in 0..<20 {
            queue.append(number, to: lanes[0], expected: 25)
            queue.append(100 + number, to: lanes[1], expected: 25)
        }
        var taken = (0..<4).compactMap { _ in queue.next() }
        queue.append(200, to: lanes[2], expected: 20)
        taken += (0..<5).compactMap { _ in queue.next() }
        #expect(taken == Array(0..<8) + [200])
        // The work that was put back is not ahead of the other lane.
        let time = queue.time
        let left = (0..<3).compactMap { _ in queue.next() }
        #expect(left == [100, 101, 102])
        queue.putBack(left[1...], since: time) { (lanes[$0 / 100], 25) }
        var rest: [Int] = []
        while let next = queue.next() { rest.append(next) }
        #expect(rest.filter { $0 < 100 } == Array(8..<20))
        #expect(rest.filter { $0 >= 100 } == Array(101..<120))
        // Never more than a moment ahead.
        for place in rest.indices {
            let (first, second) = (rest[...place].count { $0 < 100 } + 8, rest[...place].count { $0 >= 100 } + 1)
            #expect(abs(first - second) <= 8 || first == 20 || second == 20)
        }
    }

    @Test func `a user with little work comes before all users with much work, however many they are`() {
        var queue = FairQueue<Int>()
        let accounts = (0..<101).map { _ in UserAccount() }
        let greedy = accounts.dropLast().map { FairLane($0, nil) }
        for round in 0..<10 {
            for (number, lane) in greedy.enumerated() {
                queue.append(number * 10 + round, to: lane, expected: WorkMean.ofUnknown)
            }
        }
        let modest = FairLane(accounts[100], nil)
        var (microseconds, waits): (Int, [Int]) = (0, [])
        for tick in 0..<400 {
            // Every tenth time that the thread is free, another user has a small order.
            let came = tick % 10 == 0 ? microseconds : nil
            if came != nil { queue.append(-1, to: modest, expected: 100) }
            guard let next = queue.next() else { return }
            let took = next < 0 ? 100 : 5000
            microseconds += took
            if next < 0, let came { waits.append(microseconds - came) }
            let expected = next < 0 ? 100 : next % 10 == 0 ? WorkMean.ofUnknown : 5000
            queue.charge(next < 0 ? modest : greedy[next / 10], microseconds: Int64(took - expected))
        }
        #expect(waits.count == 40)
        #expect(waits.allSatisfy { $0 == 100 }, "\(waits)")
    }

    @Test func `a user with a little more work than the others does not wait for ever where most of it is delayed`() {
        var queue = FairQueue<Int>()
        let accounts = (0..<101).map { _ in UserAccount() }
        let lanes = accounts.map { FairLane($0, nil) }
        let expected = { (number: Int) in number == 100 ? 185 : 55 }
        for number in 0..<10_000 { queue.append(number % 100, to: lanes[number % 100], expected: 55) }
        var batches = 0
        queue.append(100, to: lanes[100], expected: 185)
        while batches < 100 {
            batches += 1
            let done = (0..<30).compactMap { _ in queue.next() }
            if done.contains(100) { break }
            let time = queue.time
            let left = (0..<240).compactMap { _ in queue.next() }
            queue.putBack(left[...], since: time) { (lanes[$0], expected($0)) }
        }
        // Three rounds of the others, thirty in a batch.
        #expect(batches <= 11)
    }

    @Test func `a batch that was mostly put back does not change whose turn it is`() {
        var queue = FairQueue<Int>()
        let accounts = (0..<50).map { _ in UserAccount() }
        let lanes = accounts.map { FairLane($0, nil) }
        for round in 0..<20 {
            for (number, lane) in lanes.enumerated() { queue.append(number + 100 * round, to: lane, expected: 5000) }
        }
        var done: [Int] = []
        for _ in 0..<500 {
            guard let first = queue.next() else { return }
            let time = queue.time
            var others: [Int] = []
            while others.count < 99, let next = queue.next() { others.append(next) }
            done.append(first)
            queue.putBack(others[...], since: time) { (lanes[$0 % 100], 5000) }
        }
        // Ten of each lane, in its order; no lane is ahead of the others by more than one.
        for number in 0..<50 {
            #expect(done.filter { $0 % 100 == number } == (0..<10).map { number + 100 * $0 })
        }
        for (place, element) in done.enumerated() { #expect(abs(element / 100 - place / 50) <= 1) }
    }

    @Test func `a lane whose work takes long has fewer turns than one whose work does not, and both go on`() {
        var queue = FairQueue<Int>()
        let accounts = [UserAccount(), UserAccount()]
        let slow = FairLane(accounts[0], nil)
        let quick = FairLane(accounts[1], nil)
        for number in 0..<1000 {
            queue.append(number, to: slow, expected: 10_000)
            queue.append(-number - 1, to: quick, expected: 100)
        }
        let taken = (0..<600).compactMap { _ in queue.next() }
        let slowTurns = taken.count { $0 >= 0 }
        #expect((4...10).contains(slowTurns), "\(slowTurns) of 600")
        #expect(taken.filter { $0 >= 0 } == Array(0..<slowTurns))
    }
}
