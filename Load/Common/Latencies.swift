import Histogram
import JSON

/// How long something took, many times: in microseconds, three digits.
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

    /// p50, p99, p99.9 and the greatest, in microseconds.
    var figures: [(name: String, microseconds: UInt64)] {
        guard count > 0 else { return [] }
        return [
            ("p50", histogram.valueAtPercentile(50)), ("p99", histogram.valueAtPercentile(99)),
            ("p99.9", histogram.valueAtPercentile(99.9)), ("max", histogram.maxRecorded),
        ]
    }

    /// The figures for people, each in milliseconds.
    var cells: [String] {
        figures.isEmpty ? ["–", "–", "–", "–"] : figures.map { Self.milliseconds($0.microseconds) }
    }

    var json: JSONValue {
        var object: JSONValue = ["count": .integer(Int64(count))]
        for figure in figures { object[figure.name + "Us"] = .integer(Int64(clamping: figure.microseconds)) }
        return object
    }

    private static func milliseconds(_ microseconds: UInt64) -> String {
        let hundredths = (microseconds + 5) / 10
        let fraction = hundredths % 100
        return "\((hundredths / 100).grouped).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}
