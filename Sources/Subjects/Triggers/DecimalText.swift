/// A decimal number by its digits, as a document has it: nothing is rounded, and no number is too large.
///
/// - Confinement: any
struct DecimalText: Sendable, Hashable {
    private(set) var isNegative: Bool
    /// Digits before the point, without leading zeros; at least one.
    private(set) var whole: String
    /// Digits after the point; empty when there is no point, and for a single 0 (`4.0`), which is how JSON writes the
    /// fraction 4.
    private(set) var fraction: String

    /// Reads `-12.50`; nil for other texts, also for numbers with an exponent.
    init?(_ text: String) {
        var digits = text[...]
        isNegative = digits.first == "-"
        if isNegative { digits.removeFirst() }
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count),
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        let significant = parts[0].drop { $0 == "0" }
        whole = significant.isEmpty ? "0" : String(significant)
        fraction = parts.count == 2 && parts[1] != "0" ? String(parts[1]) : ""
    }

    var hasZeroFraction: Bool { fraction.utf8.allSatisfy { $0 == UInt8(ascii: "0") } }

    var lastTwoDigits: Int { Int(whole.suffix(2)) ?? 0 }

    /// Whether it is a multiple of a million, other than 0, and written without a fraction.
    var isWholeMillions: Bool { fraction.isEmpty && whole.utf8.count > 6 && whole.hasSuffix("000000") }

    /// The number rounded to some digits after the point. Halves go to the even neighbour, as in banking (and in ICU),
    /// so that the errors of many roundings do not add up.
    func rounded(to digits: Int) -> DecimalText {
        var rounded = self
        let missing = max(0, digits - fraction.utf8.count)
        rounded.fraction += String(repeating: "0", count: missing)
        if digits < fraction.utf8.count { rounded.cut(to: digits) }
        // There is no negative zero.
        if rounded.whole == "0", rounded.hasZeroFraction { rounded.isNegative = false }
        return rounded
    }

    private mutating func cut(to digits: Int) {
        var kept = Array(whole.utf8) + Array(fraction.utf8.prefix(digits))
        let dropped = Array(fraction.utf8.dropFirst(digits))
        let half = [UInt8](repeating: 0x30, count: dropped.count - 1)
        let isAbove = dropped[0] > 0x35 || dropped[0] == 0x35 && Array(dropped.dropFirst()) != half
        if isAbove || dropped[0] == 0x35 && kept[kept.count - 1] & 1 == 1 { Self.increment(&kept) }
        whole = String(decoding: kept.dropLast(digits), as: UTF8.self)
        fraction = String(decoding: kept.suffix(digits), as: UTF8.self)
    }

    /// Adds one to a number given by its digits.
    private static func increment(_ digits: inout [UInt8]) {
        for index in digits.indices.reversed() {
            guard digits[index] == 0x39 else {
                digits[index] += 1
                return
            }
            digits[index] = 0x30
        }
        digits.insert(0x31, at: 0)
    }

    /// The number as people write it: `1.234,5`.
    ///
    /// - Parameter groupsFrom: The least number of digits that are grouped at all.
    func written(decimal: String, group: String, groupsFrom least: Int) -> String {
        var grouped = ""
        let count = whole.utf8.count
        for (index, digit) in whole.enumerated() {
            if index > 0, count >= least, (count - index).isMultiple(of: 3) { grouped += group }
            grouped.append(digit)
        }
        return (isNegative ? "-" : "") + grouped + (fraction.isEmpty ? "" : decimal + fraction)
    }
}
