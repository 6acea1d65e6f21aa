import Client
import Foundation
import Model
import Synchronization

/// What all scenarios share.
struct Bench: Sendable {
    let server: ServerAddress
    let mint: TokenMint
    let meter: ServerMeter
    let seconds: Double
    let loopCount: Int
    /// Names the users of this run, so that a second one finds nothing of the first.
    let run: String

    /// A user of this run.
    func user(_ name: String) -> UserID? {
        UserID("bench-\(run)-\(name)")
    }

    /// Which of `count` connections a loop opens; neighbours stay together in twos.
    func share(of count: Int, loop: Int) -> [Int] {
        (0..<count).filter { $0 / 2 % loopCount == loop }
    }

    /// Lets a crew's load run and measures it.
    func measure(
        _ scenario: String,
        _ detail: String,
        connections: Int,
        crew: Crew,
        latencies: [String] = []
    ) throws -> BenchRow {
        crew.begin()
        // What the first moments do, caches and allocators, is not measured.
        try crew.run(seconds: min(1, seconds / 5))
        let before = (try meter.read(), crew.board.count.load(ordering: .relaxed), ContinuousClock.now)
        try crew.run(seconds: seconds)
        let after = (try meter.read(), crew.board.count.load(ordering: .relaxed), ContinuousClock.now)
        crew.stop()
        return BenchRow(
            scenario: scenario,
            detail: detail,
            connections: connections,
            seconds: (after.2 - before.2) / .seconds(1),
            operations: after.1 - before.1,
            cpuSeconds: after.0.cpuSeconds - before.0.cpuSeconds,
            residentBytes: after.0.residentBytes,
            failures: crew.board.failures.load(ordering: .relaxed),
            latencies: latencies.map { ($0, crew.board.latencies($0)) }
        )
    }
}
