import Counting

/// Runs one benchmark. Under callgrind each round is written to a file of its own, which `Tests/InstructionTests/run`
/// reads; without callgrind it prints the time of a round, which is only as reliable as a clock.
enum Program {
    private static let usage = """
        usage: watchwise-bench list
               watchwise-bench run NAME [--rounds N]
        """
    /// In the order in which a message passes them.
    private static let benchmarks =
        Benchmark.calibrations + Benchmark.decoding + Benchmark.framing + Benchmark.encoding + Benchmark.tokens
        + Benchmark.chats + Benchmark.fanout + Benchmark.documents + Benchmark.returning + Benchmark.encryption
        + Benchmark.journal + Benchmark.suite

    /// - Parameter arguments: without the program's name.
    /// - Returns: the exit code: 1 when the benchmark did not do the work that it counts, 2 for bad usage.
    static func run(_ arguments: [String]) -> Int32 {
        switch arguments.first {
        case "list" where arguments.count == 1:
            for benchmark in benchmarks { print(benchmark.name, benchmark.unit, benchmark.what, separator: "\t") }
            return 0
        case "run" where arguments.count == 2: return run(arguments[1], rounds: 5)
        case "run" where arguments.count == 4 && arguments[2] == "--rounds":
            guard let rounds = Int(arguments[3]), (1...10_000).contains(rounds) else { break }
            return run(arguments[1], rounds: rounds)
        default: break
        }
        print(usage)
        return 2
    }

    private static func run(_ name: String, rounds: Int) -> Int32 {
        guard let benchmark = benchmarks.first(where: { $0.name == name }) else {
            print("there is no benchmark \(name); watchwise-bench list says which there are")
            return 2
        }
        let counter = Counter(rounds: rounds)
        do {
            try benchmark.run(counter)
        } catch {
            print("\(name) failed: \(error)")
            return 1
        }
        guard counter.taken.count == rounds else {
            print("\(name) failed: \(counter.taken.count) rounds were counted, not \(rounds)")
            return 1
        }
        print(Calls.median(counter.calls))
        if !counting_is_possible() {
            let median = counter.taken.sorted()[rounds / 2]
            print("\(name): \(Int(median)) ns for each \(benchmark.unit), the median of \(rounds) rounds")
        }
        return 0
    }
}
