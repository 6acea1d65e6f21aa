import Testing

@testable import Journal

/// How long writes stand when one thing goes wrong, as the page of operations promises it.
struct FailureTests {
    struct Failure: CustomTestStringConvertible {
        let name: String
        let faults: [Fault]
        /// The longest pause between two commits, in milliseconds.
        let pauseMax: Int

        var testDescription: String { name }

        init(_ name: String, _ kinds: [Fault.Kind], of target: Fault.Target, for milliseconds: Int, pauseMax: Int) {
            self.name = name
            faults = kinds.map { Fault(kind: $0, target: target, milliseconds: milliseconds) }
            self.pauseMax = pauseMax
        }
    }

    static let kill = Fault.Kind.kill(lostCommits: 0)
    static let failures = [
        Failure("a node that does not lead is killed", [kill], of: .follower, for: 4000, pauseMax: 1000),
        Failure("the leading node is killed", [kill], of: .leader, for: 6000, pauseMax: 3000),
        Failure("the journal's leader is gone for 4 s", [.journalLeader], of: .leader, for: 4000, pauseMax: 5000),
        Failure("the journal's leader is gone for 9 s", [.journalLeader], of: .leader, for: 9000, pauseMax: 10_000),
        Failure("a machine with both is gone", [.journalLeader, kill], of: .leader, for: 9000, pauseMax: 12_000),
        Failure("the leading node is stopped", [.terminate], of: .leader, for: 4000, pauseMax: 1000),
        Failure("the leading node steps down", [.stepDown], of: .leader, for: 5500, pauseMax: 1000),
        Failure("the leading node's disk is full", [.diskFull], of: .leader, for: 5000, pauseMax: 2000),
        Failure(
            "the leading node is cut off", [.cut(isOut: true, isIn: true)], of: .leader, for: 9000, pauseMax: 3000),
        Failure("the leading node is frozen", [.freeze], of: .leader, for: 5000, pauseMax: 3000),
        Failure("a node that does not lead is frozen", [.freeze], of: .follower, for: 5000, pauseMax: 1000),
        Failure("a node has a slow disk", [.slowDisk], of: .follower, for: 5000, pauseMax: 1000),
    ]

    @Test(arguments: failures)
    func `writes stand no longer than promised`(_ failure: Failure) throws {
        var pauses: [Int] = []
        for seed in 1...40 as ClosedRange<UInt64> {
            let faults = failure.faults.map { (Cluster.faultsAt + Int(seed) * 7, $0) }
            let cluster = Cluster(seed: seed, faults: faults, clients: 12)
            do { try cluster.run() } catch { Issue.record("seed \(seed): \(error)") }
            pauses.append(cluster.longestPause)
        }
        pauses.sort()
        print("journal: \(failure.name): writes stand p50 \(pauses[20]), at most \(pauses[39]) ms")
        #expect(pauses[39] <= failure.pauseMax)
    }
}
