/// In which part of its unit a number is kept. Prometheus wants seconds and bytes, and the server counts in whole numbers.
///
/// - Confinement: any
package enum MetricScale: Int, Sendable {
    case whole = 1
    case thousandths = 1000
    case millionths = 1_000_000

    /// The number in its unit: `0.25` of 250 thousandths.
    func text(of value: Int) -> String {
        self == .whole ? String(value) : "\(Double(value) / Double(rawValue))"
    }

    /// The name and the scale of a number whose name ends in a smaller unit: `x_milliseconds_total` is shown as `x_seconds_total`.
    static func inBaseUnits(_ name: String) -> (name: String, scale: MetricScale) {
        for (unit, scale) in [("_milliseconds", MetricScale.thousandths), ("_microseconds", .millionths)] {
            if name.contains(unit) { return (name.replacing(unit, with: "_seconds"), scale) }
        }
        return (name, .whole)
    }
}
