import Model
import SimulatedKernel

/// Runs seeds and prints how each ended: a line `begin SEED`, then `ok SEED TRACE` or `failed SEED REASON`.
enum Program {
    private static let usage =
        "usage: watchwise-simulate [--from SEED] [--count N] [--every N] [--nodes N] [--mistake NAME] [--tell]"

    /// - Parameter arguments: without the program's name.
    /// - Returns: the exit code: 0 when all seeds passed, 1 when one failed, 2 for bad usage.
    static func run(_ arguments: [String]) -> Int32 {
        var numbers: [String: UInt64] = ["--from": 1, "--count": 1, "--every": 1, "--nodes": 1]
        var isTold = false
        var mistake: Mistake?
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--tell" {
                isTold = true
            } else if argument == "--mistake", let value = rest.popFirst().flatMap(Mistake.init) {
                mistake = value
            } else if numbers[argument] != nil, let value = rest.popFirst().flatMap({ UInt64($0) }) {
                numbers[argument] = value
            } else {
                print(usage)
                return 2
            }
        }
        let first = numbers["--from", default: 1]
        let every = numbers["--every", default: 1]
        let nodes = Int(min(numbers["--nodes", default: 1], 7))
        return run(
            (0..<numbers["--count", default: 1]).lazy.map { first &+ $0 &* every }, nodes, mistake, isTold: isTold)
    }

    private static func run(
        _ seeds: some Sequence<UInt64>, _ nodes: Int, _ mistake: Mistake?, isTold: Bool
    ) -> Int32 {
        sim_say_at_once()
        defer { Machine.remove() }
        var failures: Int32 = 0
        do {
            let (epoch, files) = try Machine.prepare(nodes: nodes)
            sim_tell(isTold)
            for seed in seeds {
                print("begin", seed)
                do {
                    try Machine.reset(files, nodes: nodes)
                    try run(seed, epoch, nodes, mistake)
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

    private static func run(_ seed: UInt64, _ epoch: Epoch, _ nodes: Int, _ mistake: Mistake?) throws {
        sim_begin(seed)
        let world = try World(epoch: epoch, nodes: nodes, mistake)
        defer { world.end() }
        try Workload(world).run()
        if world.retentionMilliseconds == nil { try Audit(world).run() } else { try QuietAudit(world).run() }
        if let kind = world.kind, kind.hasClockJumps, !kind.losesEntries { try ClockAudit(world: world).run() }
        if world.kind?.losesEntries == true {
            // A document that is lost with the entries could not be deleted; a name is written whatever was lost.
            try ReplacedEntries(world: world).run {
                guard let key = world.ledger.makeKey() else { return }
                world.feed.add(.name(Ledger.Name(of: "p1", key.text), key: key))
            }
        }
    }
}
