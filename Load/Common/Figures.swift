/// Writes numbers for people.
enum Figures {
    /// Milliseconds like `12.34`, from microseconds.
    static func milliseconds(_ microseconds: UInt64) -> String {
        let hundredths = (microseconds + 5) / 10
        let fraction = hundredths % 100
        return "\((hundredths / 100).grouped).\(fraction < 10 ? "0" : "")\(fraction)"
    }

    static func whole(_ value: Double) -> String {
        value.isFinite ? Int(max(-1e15, min(1e15, value)).rounded()).grouped : "–"
    }

    /// A number with about three digits: `0.04`, `1.23`, `12.3`, `123`.
    static func short(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        let size = abs(value)
        if size >= 100 || value == 0 { return whole(value) }
        return fixed(value, digits: size >= 10 ? 1 : size >= 0.1 ? 2 : 3)
    }

    /// A number with this many digits after the point.
    static func fixed(_ value: Double, digits: Int) -> String {
        var unit = 1
        for _ in 0..<digits { unit *= 10 }
        let scaled = Int((abs(value) * Double(unit)).rounded())
        let fraction = String(scaled % unit)
        let padding = String(repeating: "0", count: max(0, digits - fraction.count))
        return (value < 0 && scaled > 0 ? "-" : "") + (scaled / unit).grouped
            + (digits > 0 ? "." + padding + fraction : "")
    }

    /// For axes: `1.5M`, `20k`, `300`.
    static func axis(_ value: Double) -> String {
        for (size, letter) in [(1e9, "G"), (1e6, "M"), (1e3, "k")] where abs(value) >= size {
            let scaled = value / size
            let isWhole = (scaled - scaled.rounded()).magnitude < 0.05
            return (isWhole ? whole(scaled) : fixed(scaled, digits: 1)) + letter
        }
        let isWhole = (value - value.rounded()).magnitude < 0.005
        return isWhole ? whole(value) : fixed(value, digits: abs(value) < 1 ? 2 : 1)
    }
}
