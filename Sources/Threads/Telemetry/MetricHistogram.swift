import Synchronization

/// How large or how long something was, as a histogram of Prometheus: how often it was at most so much, for some bounds.
///
/// The counts are relaxed atomics, since some are taken for every write: a page may show a count without its share of the sum.
///
/// - Confinement: any
package final class MetricHistogram: Sendable {
    /// The most bounds that one has.
    private static let boundsMax = 15

    private let name: String
    private let help: String
    private let bounds: [Int64]
    private let scale: MetricScale
    /// One for each bound, and one for everything larger.
    private let counts = InlineArray<16, Atomic<Int>> { _ in Atomic(0) }
    private let sum = Atomic<Int>(0)

    /// - Parameters:
    ///   - scale: what is observed: thousandths or millionths of the unit in the name.
    ///   - bounds: ascending, as they are observed.
    init(_ name: String, _ scale: MetricScale = .whole, bounds: [Int64], _ help: String) {
        precondition(bounds.count <= Self.boundsMax, "there is a count for each bound")
        self.name = name
        self.help = help
        self.scale = scale
        self.bounds = bounds
    }

    /// Counts one more.
    ///
    /// - Parameters:
    ///   - value: In the unit of the bounds; a negative one, of a clock that was put back, counts as 0.
    ///   - times: how many had this value.
    package func observe(_ value: Int64, times: Int = 1) {
        let value = max(0, value)
        // A search that halves, with the same number of steps for each value.
        var (index, left) = (0, bounds.count)
        while left > 1 {
            let half = left / 2
            index += bounds[index + half - 1] < value ? half : 0
            left -= half
        }
        index += bounds[index] < value ? 1 : 0
        counts[index].add(times, ordering: .relaxed)
        sum.add(Int(value) * times, ordering: .relaxed)
    }

    /// How many were observed.
    package var count: Int { (0...bounds.count).reduce(0) { $0 + counts[$1].now } }

    /// The counts, each with those of the smaller bounds, as the format wants it.
    package var family: MetricFamily {
        var total = 0
        var samples = (bounds.map { scale.text(of: Int($0)) } + ["+Inf"]).enumerated().map { index, bound in
            total += counts[index].now
            return MetricFamily.Sample(suffix: "_bucket", [("le", bound)], total)
        }
        samples += [
            MetricFamily.Sample(suffix: "_sum", [], sum.now, scale),
            MetricFamily.Sample(suffix: "_count", [], total),
        ]
        return MetricFamily(.histogram, name, help, samples)
    }
}
