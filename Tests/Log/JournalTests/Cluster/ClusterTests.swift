import Foundation
import Testing

@testable import Journal

/// Three nodes and a journal, whatever goes wrong. To see what a seed does: `WATCHWISE_JOURNAL_SEED=17 swift test
/// --skip-build --filter "a seed can be followed"`. For more seeds: `WATCHWISE_JOURNAL_SEEDS=100000`.
@Suite(.serialized)
struct ClusterTests {
    static let seeds: [ClosedRange<UInt64>] = {
        let count = number(of: "WATCHWISE_JOURNAL_SEEDS") ?? 3000
        return stride(from: 1, through: count, by: 500).map { $0...min(count, $0 + 499) }
    }()
    /// Each planted mistake must be found in this many of the seeds.
    static let seedsForMistakes: UInt64 = 200

    private static func number(of variable: String) -> UInt64? {
        ProcessInfo.processInfo.environment[variable].flatMap { UInt64($0) }
    }

    @Test func `no acknowledged command is lost, doubled or reordered, and the cluster leads again`() async throws {
        let begin = ContinuousClock.now
        let outcomes = await withTaskGroup(of: Outcome.self) { group in
            for range in Self.seeds { group.addTask { Self.run(range) } }
            return await group.reduce(into: Outcome()) { $0.add($1) }
        }
        for failure in outcomes.failures.prefix(10) { Issue.record("\(failure)") }
        let pauses = outcomes.pauses.sorted()
        print(
            "journal: \(pauses.count) seeds in \(ContinuousClock.now - begin), \(outcomes.events) events, "
                + "\(outcomes.answers) answers; led again after p50 \(pauses[pauses.count / 2]), "
                + "p99 \(pauses[pauses.count * 99 / 100]), at most \(pauses.last ?? 0) ms")
        print("journal: \(outcomes.marks.text)")
        #expect(outcomes.failures.isEmpty)
        for mark in Marks.Case.allCases { #expect(outcomes.marks[mark] >= 10, "\(mark)") }
    }

    @Test(arguments: PlantedMistake.allCases)
    func `a planted mistake is found`(_ mistake: PlantedMistake) throws {
        let found = (1...Self.seedsForMistakes).first { seed in
            do { try Cluster(seed: seed, mistake: mistake).run() } catch {
                print("journal: \(mistake) is found by seed \(seed): \(error)")
                return true
            }
            return false
        }
        #expect(found != nil, "\(mistake) is not found in \(Self.seedsForMistakes) seeds")
    }

    @Test func `the same seed gives the same run, and another one another`() throws {
        let runs = try ([7, 7, 8] as [UInt64]).map { seed in
            let cluster = Cluster(seed: seed)
            try cluster.run()
            return "\(cluster.now) \(cluster.events) \(cluster.state)"
        }
        #expect(runs[0] == runs[1] && runs[1] != runs[2])
    }

    @Test func `a seed can be followed, event by event`() throws {
        let chosen = Self.number(of: "WATCHWISE_JOURNAL_SEED")
        let cluster = Cluster(seed: chosen ?? 7)
        var lines = 0
        cluster.trace = {
            lines += 1
            if chosen != nil { print($0) }
        }
        try cluster.run()
        #expect(lines > 100)
        if chosen != nil { print("ended at \(cluster.now) ms: \(cluster.state)") }
    }

    struct Outcome {
        var failures: [String] = []
        var pauses: [Int] = []
        var events = 0
        var answers = 0
        var marks = Marks()

        mutating func add(_ other: Outcome) {
            failures += other.failures
            pauses += other.pauses
            events += other.events
            answers += other.answers
            marks.add(other.marks)
        }
    }

    private static func run(_ seeds: ClosedRange<UInt64>) -> Outcome {
        var outcome = Outcome()
        for seed in seeds {
            let cluster = Cluster(seed: seed)
            do { try cluster.run() } catch { outcome.failures.append("seed \(seed): \(error)") }
            outcome.events += cluster.events
            outcome.marks.add(cluster.marks)
            outcome.answers += cluster.clients.map(\.answers.count).reduce(0, +)
            outcome.pauses.append((cluster.leadsAgainAt ?? cluster.now) - cluster.quietAt)
        }
        return outcome
    }
}
