import Counting

/// A path whose cost is kept in `thresholds.json`.
struct Benchmark: Sendable {
    let name: String
    /// The thing that the counts are for: a message, a delivery.
    let unit: String
    /// A description of one line.
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
    /// - Parameter make: Returns the function to call. Its result is a number that shows the work that was done, and
    ///   must be the same at each call. Work that was not done would not be counted, so the number should come from
    ///   deep inside of the result.
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
    /// The check of the counting itself: the blocks have known counts.
    static let calibrations = [
        calling("calibrate", of: "call", "four allocations, of four kinds: shows that all are counted") {
            { Int(counting_allocate()) }
        }
    ]
}

/// A benchmark that did not do the work that it must count.
struct Mistake: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
