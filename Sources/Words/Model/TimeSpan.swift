/// A duration in the form of the command line and of settings: `90s`, `15m`, `24h`, `7d`.
///
/// - Confinement: any
package struct TimeSpan: Sendable, Hashable {
    /// The form, for error messages.
    package static let form = "a number and its unit, such as 90s, 15m, 24h or 7d, up to 3650d"

    package let milliseconds: Int64

    /// Milliseconds in the largest unit of which they are a whole number; parts of a second are left out.
    package static func text(ofMilliseconds milliseconds: Int64) -> String {
        let units: [(String, Int64)] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000)]
        let unit = units.first { milliseconds % $0.1 == 0 } ?? ("s", 1000)
        return "\(milliseconds / unit.1)\(unit.0)"
    }

    /// Nil when the text has another form, or is zero.
    package init?(_ text: String) {
        let seconds: Int64
        switch text.last {
        case "s": seconds = 1
        case "m": seconds = 60
        case "h": seconds = 3600
        case "d": seconds = 86_400
        default: return nil
        }
        let digits = text.dropLast()
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int64(digits), count > 0,
            count <= 3650 * 86_400 / seconds
        else { return nil }
        milliseconds = count * seconds * 1000
    }
}
