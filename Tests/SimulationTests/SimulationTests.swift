import Foundation
import TestMarks
import Testing

/// A few seeds; `Tests/SimulationTests/run` runs thousands. To reproduce a failed seed: `Tests/SimulationTests/run
/// --seed SEED`.
@Suite(.enabled(if: SimulationProgram.binary != nil, "watchwise-simulate is not built"))
struct SimulationTests {
    /// Seeds that failed once, one in each line with the broken invariant.
    static let failedSeeds = seeds(in: "FailedSeeds")
    /// The same, of clusters of three nodes.
    static let failedClusterSeeds = seeds(in: "FailedClusterSeeds")

    private static func seeds(in name: String) -> [UInt64] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: name)
        let lines = (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.compactMap { $0.split(separator: " ").first.flatMap { UInt64($0) } }
    }

    static let clusterSeeds: [UInt64] = [1, 2, 3, 4]
    static let seedsPerMistake: UInt64 = 8

    @Test(arguments: [UInt64(1), 1001, 2001, 3001])
    func `with all faults nothing acknowledged is lost, doubled or out of order`(first: UInt64) throws {
        let outcomes = try SimulationProgram.run(from: first, count: 10)
        #expect(outcomes.count == 10)
        for outcome in outcomes { #expect(outcome.isOK, "seed \(outcome.seed): \(outcome.text)") }
    }

    @Test(arguments: failedSeeds)
    func `a seed that failed once fails no more`(seed: UInt64) throws {
        let outcomes = try SimulationProgram.run(from: seed)
        #expect(outcomes.count == 1)
        for outcome in outcomes { #expect(outcome.isOK, "seed \(outcome.seed): \(outcome.text)") }
    }

    @Test func `the same seed gives the same run, alone or after others`() throws {
        let behindOthers = try #require(try SimulationProgram.run(from: 41, count: 3).last)
        let alone = try SimulationProgram.run(from: 43)
        #expect(alone == [behindOthers])
        #expect(behindOthers.isOK)
    }

    /// Three nodes on a simulated journal. To reproduce a seed: `Tests/SimulationTests/run --nodes 3 --seed SEED`.
    @Test(arguments: clusterSeeds + failedClusterSeeds)
    func `with all faults three nodes end with the same database, and no device notices`(
        seed: UInt64
    ) throws {
        let outcomes = try SimulationProgram.run(from: seed, nodes: 3)
        #expect(outcomes.count == 1)
        for outcome in outcomes { #expect(outcome.isOK, "--nodes 3 --seed \(outcome.seed): \(outcome.text)") }
    }

    @Test(.planted, arguments: ["acknowledge-early", "lead-unread", "apply-twice", "forget-expectation"])
    func `a mistake that is planted in the cluster is found soon`(mistake: String) throws {
        let seed = try (1...Self.seedsPerMistake).first { seed in
            try SimulationProgram.run(from: seed, nodes: 3, mistake: mistake).contains { !$0.isOK }
        }
        #expect(seed != nil, "\(mistake) is not found within \(Self.seedsPerMistake) seeds")
    }

    @Test func `another seed gives another run`() throws {
        let texts = try SimulationProgram.run(from: 51, count: 4).map(\.text)
        #expect(Set(texts).count == 4)
    }
}
