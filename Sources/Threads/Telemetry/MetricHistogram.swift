import Synchronization

/// How long something took, as a histogram of Prometheus: how often it took at most so long, for some bounds.
///
/// - Confinement: any
package final class MetricHistogram: Sendable {
    private struct Counts {
        /// One for each bound, and one for everything longer.
        var each: [Int]
        var sum = 0
    }

    private let name: String
    private let help: String
    private let bounds: [Int64]
    private let isOfMicroseconds: Bool
    /// Protected by its lock, which is taken once for each observation.
    private let counts: Mutex<Counts>

    /// - Parameter bounds: ascending, in the unit of the name.
    init(_ name: String, bounds: [Int64], _ help: String) {
        self.name = name
        self.bounds = bounds
        isOfMicroseconds = false
        self.help = help
        counts = Mutex(Counts(each: Array(repeating: 0, count: bounds.count + 1)))
    }

    /// A time in seconds.
    ///
    /// - Parameter microsecondBounds: ascending.
    init(_ name: String, microsecondBounds: [Int64], _ help: String) {
        self.name = name
        self.help = help
        isOfMicroseconds = true
        bounds = microsecondBounds
        counts = Mutex(Counts(each: Array(repeating: 0, count: bounds.count + 1)))
    }

    /// Counts one more.
    ///
    /// - Parameter value: In the unit of the bounds; a negative one, of a clock that was put back, counts as 0.
    package func observe(_ value: Int64) {
        let value = max(0, value)
        let index = bounds.firstIndex { value <= $0 } ?? bounds.count
        counts.withLock {
            $0.each[index] += 1
            $0.sum += Int(value)
        }
    }

    /// The counts, each with those of the shorter bounds, as the format wants it.
    package var family: MetricFamily {
        let (each, sum) = counts.withLock { ($0.each, $0.sum) }
        let names =
            bounds.map { isOfMicroseconds ? MetricFamily.Sample.unit(ofMillionths: $0) : String($0) } + ["+Inf"]
        var total = 0
        var samples = zip(names, each).map { name, count in
            total += count
            return MetricFamily.Sample(suffix: "_bucket", [("le", name)], total)
        }
        samples += [
            MetricFamily.Sample(suffix: "_sum", [], sum, isOfMillionths: isOfMicroseconds),
            MetricFamily.Sample(suffix: "_count", [], total),
        ]
        return MetricFamily(.histogram, name, help, samples)
    }
}
