import TestSupport
import Testing

@testable import Journal

/// Every order of inputs, also of those that no journal gives, keeps the rules that ``OwnerModel`` checks.
struct OrderTests {
    private typealias Step = OwnerModel.Step

    private static let toStanding: [OwnerModel.Step] = [.reached, .longTick, .longTick, .last]

    /// The ways to the states from which all orders begin.
    static let ways: [[OwnerModel.Step]] = [
        [.reached], toStanding, toStanding + [.refuse], toStanding + [.acknowledge],
        toStanding + [.acknowledge, .submit], toStanding + [.acknowledge, .submitParts],
        toStanding + [.acknowledge, .submit, .refuse], toStanding + [.acknowledge, .submit, .noAnswer],
        toStanding + [.acknowledge, .submit, .stopping], [.reached, .foreignPart],
    ]

    @Test(arguments: ways)
    func `all orders of three inputs from each state keep the rules`(_ way: [OwnerModel.Step]) throws {
        #expect(try count(after: way, depth: 3) > 10_000)
    }

    @Test(arguments: [toStanding, toStanding + [.acknowledge, .submit]])
    func `all orders of four inputs keep the rules`(_ way: [OwnerModel.Step]) throws {
        #expect(try count(after: way, depth: 4) > 300_000)
    }

    /// Gives all orders of inputs, and counts them.
    private func count(after way: [OwnerModel.Step], depth: Int) throws -> Int {
        var owner = OwnerModel()
        for step in way { try owner.take(step) }
        var count = 0
        var path = way
        try visit(owner, depth: depth, &path, &count)
        return count
    }

    private func visit(_ owner: OwnerModel, depth: Int, _ path: inout [OwnerModel.Step], _ count: inout Int) throws {
        guard depth > 0 else { return }
        for step in Step.allCases where owner.allows(step) {
            var next = owner
            path.append(step)
            count += 1
            do { try next.take(step) } catch { throw BrokenRule("\(error), after \(path)") }
            try visit(next, depth: depth - 1, &path, &count)
            path.removeLast()
        }
    }

    /// Steps that lead on, so that orders at random come far.
    private static let likely: [OwnerModel.Step] = [.longTick, .last, .acknowledge, .submit, .submitParts]
    /// Steps after which a node never leads again.
    private static let last: Set<OwnerModel.Step> = [.stopping, .entryOfOldTerm, .otherPrevious]

    @Test func `orders at random, 60 inputs long, keep the rules and reach every role`() throws {
        var roles: [LeadershipRole: Int] = [:]
        for seed in 1...2_000 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed)
            var owner = OwnerModel()
            var path: [OwnerModel.Step] = [.reached]
            try owner.take(.reached)
            for _ in 0..<60 {
                let steps = random.next() % 4 == 0 ? Step.allCases : Self.likely
                let step = steps[Int(random.next() % UInt64(steps.count))]
                guard owner.allows(step), !Self.last.contains(step) || random.next() % 16 == 0 else { continue }
                path.append(step)
                do { try owner.take(step) } catch { throw BrokenRule("seed \(seed): \(error), after \(path)") }
                roles[owner.machine.role, default: 0] += 1
            }
        }
        for role in [LeadershipRole.following, .standing, .leading, .stopped] {
            #expect(roles[role, default: 0] > 500)
        }
    }
}
