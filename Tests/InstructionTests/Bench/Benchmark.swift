import Counting

/// A path whose cost is kept in `thresholds.json`.
struct Benchmark: Sendable {
    let name: String
    /// What one is that the counts are for: a message, a delivery.
    let unit: String
    /// What it does, in a line.
    let what: String
    let run: @Sendable (Counter) throws -> Void

    init(_ name: String, of unit: String, _ what: String, run: @escaping @Sendable (Counter) throws -> Void) {
        self.name = name
        self.unit = unit
        self.what = what
        self.run = run
    }

    /// A path that is one call.
    ///
    /// - Parameter make: gives what is called; its number says what it did, and must be the same at each call. What it
    ///   did not do cannot be counted, so it shall come from as deep in the result as there is.
    static func calling(
        _ name: String, of unit: String, _ what: String, make: @escaping @Sendable () throws -> () throws -> Int
    ) -> Benchmark {
        Benchmark(name, of: unit, what) { counter in
            let work = try make()
            let expected = try work()
            guard expected != 0 else { throw Mistake("it did nothing") }
            try counter.repeating {
                var sum = 0
                try counter.count(callsPerRound) {
                    for _ in 0..<callsPerRound { sum += try work() }
                }
                guard sum == callsPerRound * expected else { throw Mistake("it gave \(sum) in all") }
            }
        }
    }

    private static let callsPerRound = 100
}

extension Benchmark {
    /// What the counting itself is held against: the blocks are known.
    static let calibrations = [
        calling("calibrate", of: "call", "four allocations, of four kinds: shows that all are counted") {
            { Int(counting_allocate()) }
        }
    ]
}

/// A benchmark that did not do what it is there to count.
struct Mistake: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
