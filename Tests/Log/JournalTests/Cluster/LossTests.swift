import Testing

@testable import Journal

/// The journal loses entries that it had acknowledged. The nodes have them, so nothing is lost as long as nobody writes
/// other entries in their places.
struct LossTests {
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `nobody leads, and the nodes that know more stop and say why`(_ seed: UInt64) throws {
        let cluster = Cluster(seed: seed, faults: [], clients: 6)
        cluster.stops = [nil, nil, nil]
        // The clients go on to write.
        cluster.quietAt = .max
        try cluster.run(until: 5000)
        // One node is away, and comes back with even less than the journal has.
        let kill = Fault(kind: .kill(lostCommits: 10), target: .follower, milliseconds: 2000)
        cluster.queue.plan(.begin(kill), at: cluster.now)
        let last = cluster.journal.log.count
        let kept = last - 1 - Int(seed % 5)
        cluster.journal.loseEntries(last - kept)
        try cluster.run(until: 60_000)
        #expect(cluster.journal.log.count == kept)
        #expect(cluster.nodes.allSatisfy { $0.machine.role != .leading && $0.isAlive })
        let stops = cluster.stops?.compactMap(\.self) ?? []
        #expect((1...2).contains(stops.count))
        for stop in stops {
            guard case .knowsMore(let read, UInt64(kept)) = stop, (kept + 1...last).contains(Int(read)) else {
                Issue.record("\(stop), and the journal went back from \(last) to \(kept)")
                continue
            }
        }
    }
}
