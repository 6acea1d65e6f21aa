import Fanout
import Model
import TestSupport
import Testing

struct RecentCommitsTests {
    @Test func `all commits after a position are found, whole ones only`() throws {
        var recent = RecentCommits<Int>(head: Position(10))
        recent.append([11, 12], head: Position(12))
        recent.append([13], head: Position(13))
        #expect(try #require(recent.after(Position(10))).flatMap(\.steps) == [11, 12, 13])
        #expect(try #require(recent.after(Position(11))).flatMap(\.steps) == [11, 12, 13])
        #expect(try #require(recent.after(Position(12))).flatMap(\.steps) == [13])
        #expect(try #require(recent.after(Position(13))).isEmpty)
    }

    @Test func `a reader ahead of this loop finds nothing, and one before the held commits gets nil`() throws {
        var recent = RecentCommits<Int>(head: Position(10))
        recent.append([11], head: Position(11))
        #expect(try #require(recent.after(Position(99))).isEmpty)
        #expect(recent.after(Position(9)) == nil)
    }

    @Test func `the newest commit is kept, however large`() throws {
        var recent = RecentCommits<Int>(head: .zero, stepsMax: 3)
        recent.append(Array(1...10), head: Position(10))
        #expect(try #require(recent.after(.zero)).flatMap(\.steps) == Array(1...10))
        recent.append([11], head: Position(11))
        #expect(recent.after(Position(9)) == nil)
        #expect(try #require(recent.after(Position(10))).flatMap(\.steps) == [11])
    }

    @Test func `commits without steps are bounded too`() {
        var recent = RecentCommits<Int>(head: .zero, stepsMax: 100)
        for head in 1...5000 { recent.append([], head: Position(Int64(head))) }
        #expect(recent.from > Position(4800))
    }

    @Test func `a commit that is no longer held is released at once`() {
        final class Step: Sendable {}
        var recent = RecentCommits<Step>(head: .zero, stepsMax: 2)
        weak var dropped: Step?
        do {
            let step = Step()
            dropped = step
            recent.append([step], head: Position(1))
        }
        #expect(dropped != nil)
        for head in 2...5 { recent.append([Step()], head: Position(Int64(head))) }
        #expect(dropped == nil)
    }

    @Test(arguments: 1...8)
    func `everything after a held position is found in order, and little more is held`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let stepsMax = Int.random(in: 5...200, using: &random)
        var recent = RecentCommits<Int64>(head: .zero, stepsMax: stepsMax)
        var commits: [(head: Int64, steps: [Int64])] = []
        var head: Int64 = 0
        for _ in 1...4000 {
            let steps = (0..<Int64.random(in: 0...6, using: &random)).map { head + $0 + 1 }
            head += Int64(steps.count)
            commits.append((head, steps))
            recent.append(steps, head: Position(head))
            let position = Int64.random(in: max(0, head - 300)...head, using: &random)
            let found = recent.after(Position(position))
            guard position >= recent.from.value else {
                #expect(found == nil)
                continue
            }
            let expected = commits.suffix(400).filter { $0.head > position }.flatMap(\.steps)
            guard try #require(found).flatMap(\.steps) == expected else {
                Issue.record("seed \(seed): behind \(position) with head \(head)")
                return
            }
            #expect(head - recent.from.value <= Int64(stepsMax) + 6)
        }
    }
}
