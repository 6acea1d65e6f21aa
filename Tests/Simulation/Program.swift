import Model
import SimulatedKernel

/// Runs seeds and prints how each ended: a line `begin SEED`, then `ok SEED TRACE` or `failed SEED REASON`.
enum Program {
    private static let usage = "usage: watchwise-simulate [--from SEED] [--count N] [--every N] [--tell]"

    /// - Parameter arguments: without the program's name.
    /// - Returns: the exit code: 0 when all seeds passed, 1 when one failed, 2 for bad usage.
    static func run(_ arguments: [String]) -> Int32 {
        var numbers: [String: UInt64] = ["--from": 1, "--count": 1, "--every": 1]
        var isTold = false
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--tell" {
                isTold = true
            } else if numbers[argument] != nil, let value = rest.popFirst().flatMap({ UInt64($0) }) {
                numbers[argument] = value
            } else {
                print(usage)
                return 2
            }
        }
        let first = numbers["--from", default: 1]
        let every = numbers["--every", default: 1]
        return run((0..<numbers["--count", default: 1]).lazy.map { first &+ $0 &* every }, isTold: isTold)
    }

    private static func run(_ seeds: some Sequence<UInt64>, isTold: Bool) -> Int32 {
        sim_say_at_once()
        defer { Machine.remove() }
        var failures: Int32 = 0
        do {
            let (epoch, files) = try Machine.prepare()
            sim_tell(isTold)
            for seed in seeds {
                print("begin", seed)
                do {
                    try Machine.reset(files)
                    try run(seed, epoch)
                    print("ok", seed, String(sim_trace(), radix: 16))
                } catch {
                    failures += 1
                    print("failed", seed, error)
                }
            }
        } catch {
            print("failed 0", error)
            return 1
        }
        return failures == 0 ? 0 : 1
    }

    private static func run(_ seed: UInt64, _ epoch: Epoch) throws {
        sim_begin(seed)
        let world = try World(epoch: epoch)
        defer { world.end() }
        try Workload(world).run()
        if world.retentionMilliseconds == nil { try Audit(world).run() } else { try QuietAudit(world).run() }
    }
}
