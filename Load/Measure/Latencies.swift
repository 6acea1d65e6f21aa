import Histogram

/// Many measured durations, in microseconds with three digits.
struct Latencies: Sendable {
    private var histogram: Histogram<UInt64>

    init() {
        histogram = Histogram<UInt64>(highestTrackableValue: 60_000_000, numberOfSignificantValueDigits: .three)
        histogram.autoResize = true
    }

    var count: Int { Int(clamping: histogram.totalCount) }

    mutating func record(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        histogram.record(UInt64(clamping: max(0, microseconds)))
    }

    mutating func add(_ other: Latencies) {
        histogram.add(other.histogram)
    }

    mutating func forget() {
        histogram.reset()
    }

    var summary: LatencySummary {
        guard count > 0 else { return LatencySummary(count: 0, curve: []) }
        let percentiles = LatencySummary.percentiles.dropLast()
        return LatencySummary(
            count: count,
            curve: percentiles.map { .init(percentile: $0, microseconds: histogram.valueAtPercentile($0)) }
                + [.init(percentile: 100, microseconds: histogram.maxRecorded)])
    }

    /// The figures for people, each in milliseconds.
    var cells: [String] { summary.cells }
}
