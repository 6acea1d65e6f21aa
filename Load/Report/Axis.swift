import Foundation

/// The places of values on an axis, and the marks on it.
struct Axis {
    private let low: Double
    private let high: Double
    private let isLogarithmic: Bool
    /// Marks with their places, 0 to 1.
    private(set) var ticks: [(share: Double, text: String)] = []

    /// - Parameter ticks: The values to mark, instead of round numbers.
    init(_ values: [Double], isLogarithmic: Bool, ticks given: [(place: Double, text: String)]? = nil) {
        self.isLogarithmic = isLogarithmic
        var low = values.min() ?? 0
        var high = values.max() ?? 1
        let marks: [Double]
        if let given {
            marks = given.map(\.place)
        } else if isLogarithmic {
            (low, high) = (pow(10, floor(log10(low) + 1e-9)), pow(10, ceil(log10(high) - 1e-9)))
            if high <= low { high = low * 10 }
            let decades = Int((log10(high) - log10(low)).rounded())
            let each = max(1, (decades + 5) / 6)
            marks = stride(from: 0, through: decades, by: each).map { low * pow(10, Double($0)) }
        } else {
            let step = Self.step(high - low)
            high = high == low ? low + step : ceil(high / step - 1e-9) * step
            low = floor(low / step + 1e-9) * step
            marks = Array(stride(from: low, through: high + step / 2, by: step))
        }
        self.low = low
        self.high = high
        ticks = marks.enumerated().map { (share(of: $1), given?[$0].text ?? Figures.axis($1)) }
    }

    /// The place of a value, 0 to 1.
    func share(of value: Double) -> Double {
        guard high > low else { return 0.5 }
        guard isLogarithmic else { return (value - low) / (high - low) }
        return (log10(value) - log10(low)) / (log10(high) - log10(low))
    }

    /// A round number that divides the span into four to eight parts.
    private static func step(_ span: Double) -> Double {
        guard span > 0, span.isFinite else { return 1 }
        let unit = pow(10, floor(log10(span / 4)))
        return [1, 2, 2.5, 5, 10].map { $0 * unit }.first { span / $0 <= 6 } ?? unit * 10
    }
}
