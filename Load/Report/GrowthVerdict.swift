import Foundation

/// Decides whether a cost stays the same when a size grows, or grows with it.
///
/// The verdict uses three measures: the least squares fit `cost = a + b · size`, with each point weighed by its own
/// cost so that small and large points count equally; the change from the smallest to the largest size; and the change
/// between the last two sizes, which shows a cost that only begins to rise.
struct GrowthVerdict: Equatable {
    enum Shape: String {
        case falling = "falls"
        case flat = "flat"
        case rising = "rises, less than linear"
        case linear = "linear"
        case worse = "worse than linear"
    }

    let shape: Shape
    /// The constant part of the fit.
    let base: Double
    let slope: Double
    /// The cost at the largest size divided by that at the smallest, and the ratio of the sizes.
    let whole: (cost: Double, size: Double)
    /// The same for the last two sizes.
    let last: (cost: Double, size: Double)

    static func == (left: GrowthVerdict, right: GrowthVerdict) -> Bool { left.sentence == right.sentence }

    /// The ratio by which a constant cost may differ on a shared machine.
    private static let noise = 1.5
    /// Growth up to this power of the size is called linear.
    private static let linearPower = 1.2
    private static let risingPower = 0.75

    /// - Parameter points: Sizes with their costs; nil when fewer than two sizes are above 0.
    init?(_ points: [(size: Double, cost: Double)]) {
        let points = points.filter { $0.cost > 0 && $0.cost.isFinite }.sorted { $0.size < $1.size }
        // A measurement at size 0 is the base for the others, and counts as size 1.
        guard let first = points.first, let last = points.last, last.size > first.size, points.count >= 2 else {
            return nil
        }
        let before = points[points.count - 2]
        (base, slope) = Self.fit(points)
        whole = (last.cost / first.cost, last.size / max(1, first.size))
        self.last = (last.cost / before.cost, last.size / max(1, before.size))
        let power = log(self.last.cost) / log(max(1.01, self.last.size))
        if whole.cost < 1 / Self.noise, self.last.cost < Self.noise {
            shape = .falling
        } else if whole.cost <= Self.noise, self.last.cost <= Self.noise {
            shape = .flat
        } else if self.last.cost <= 1.15, whole.cost <= Self.noise * Self.noise {
            shape = .flat
        } else if power <= Self.risingPower {
            shape = .rising
        } else {
            shape = power <= Self.linearPower ? .linear : .worse
        }
    }

    private static func fit(_ points: [(size: Double, cost: Double)]) -> (base: Double, slope: Double) {
        var (weights, sizes, costs, squares, products) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for point in points {
            let weight = 1 / (point.cost * point.cost)
            weights += weight
            sizes += weight * point.size
            costs += weight * point.cost
            squares += weight * point.size * point.size
            products += weight * point.size * point.cost
        }
        let spread = weights * squares - sizes * sizes
        guard spread > 0 else { return (costs / max(weights, .leastNormalMagnitude), 0) }
        let slope = (weights * products - sizes * costs) / spread
        return ((costs - slope * sizes) / weights, slope)
    }

    var sentence: String {
        let fit = "\(Figures.short(base)) \(slope < 0 ? "−" : "+") \(Self.scientific(abs(slope))) · size"
        return "\(shape.rawValue): × \(Figures.short(whole.cost)) over all (size × \(Figures.short(whole.size))), "
            + "× \(Figures.short(last.cost)) over the last two (size × \(Figures.short(last.size))); cost ≈ \(fit)"
    }

    private static func scientific(_ value: Double) -> String {
        guard value > 0, value < 0.001 else { return Figures.short(value) }
        let power = Int(floor(log10(value)))
        return "\(Figures.fixed(value / pow(10, Double(power)), digits: 1))e\(power)"
    }
}
