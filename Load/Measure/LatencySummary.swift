import JSON

/// The part of many durations that is kept after a run: enough for a table and for the curve of their distribution.
struct LatencySummary: Sendable, Equatable {
    /// This percentage of the durations was at most this long.
    struct Point: Sendable, Equatable {
        var percentile: Double
        var microseconds: UInt64
    }

    /// Closer and closer to 100, since people notice the rare long ones.
    static let percentiles: [Double] = [0, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 100]

    var count: Int
    /// In ascending order; empty when nothing was measured.
    var curve: [Point]

    init(count: Int, curve: [Point]) {
        self.count = count
        self.curve = curve
    }

    func microseconds(at percentile: Double) -> UInt64? {
        curve.first { $0.percentile >= percentile }?.microseconds
    }

    private static let named: [(name: String, percentile: Double)] = [
        ("p50", 50), ("p99", 99), ("p99.9", 99.9), ("max", 100),
    ]

    /// The head of a table of `cells`.
    static let heads = ["milliseconds", "count", "p50", "p99", "p99.9", "max"]

    /// p50, p99, p99.9 and the maximum, each in milliseconds.
    var cells: [String] {
        Self.named.map { microseconds(at: $0.percentile).map { Figures.milliseconds($0) } ?? "–" }
    }

    var json: JSONValue {
        var object: JSONValue = ["count": .integer(Int64(count))]
        for (name, percentile) in Self.named {
            if let value = microseconds(at: percentile) { object[name + "Us"] = .integer(Int64(clamping: value)) }
        }
        object["curve"] = .array(
            curve.map { [.number($0.percentile), .integer(Int64(clamping: $0.microseconds))] })
        return object
    }

    init(_ json: JSONValue) {
        count = Int(json["count"]?.integerValue ?? 0)
        curve = (json["curve"]?.arrayValue ?? []).compactMap { pair in
            guard let pair = pair.arrayValue, pair.count == 2, let percentile = pair[0].numberValue,
                let value = pair[1].integerValue
            else { return nil }
            return Point(percentile: percentile, microseconds: UInt64(clamping: value))
        }
    }
}
