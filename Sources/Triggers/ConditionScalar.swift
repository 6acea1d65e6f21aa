import JSON

/// A value in the order of SQLite: NULL, numbers, texts by their bytes (sqlite.org/datatype3.html, section 4.1); as
/// far as it is known to the last bit.
enum ConditionScalar: Sendable, Hashable {
    case null
    /// Between these two, which are equal where the number is exact.
    case number(low: Double, high: Double)
    /// UTF-8: Swift's own order of strings, and their equality, are others.
    case text([UInt8])
    /// A text whose bytes are not looked at: an object or a list.
    case composite
    case unknown

    /// Up to here doubles count every whole number.
    private static let exactMax: Int64 = 1 << 53

    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .exact(value ? 1 : 0)
        case .integer(let value): self = Self.integer(value)
        case .number(let value): self = Self.real(value)
        // SQLite's JSON ends a text at the first U+0000.
        case .string(let value): self = value.utf8.contains(0) ? .unknown : .text(Array(value.utf8))
        case .array, .object: self = .composite
        }
    }

    static func exact(_ value: Double) -> ConditionScalar { .number(low: value, high: value) }

    static func integer(_ value: Int64) -> ConditionScalar {
        (-exactMax...exactMax).contains(value) ? .exact(Double(value)) : .unknown
    }

    /// Texts become doubles here and there by different code, which may differ in the last bits.
    static func real(_ value: Double) -> ConditionScalar {
        guard value.magnitude < 1e300, value == 0 || value.magnitude > 1e-300 else { return .unknown }
        if value.magnitude <= Double(exactMax), value.rounded(.towardZero) == value { return .exact(value) }
        let margin = value.magnitude * 1e-12
        return .number(low: value - margin, high: value + margin)
    }

    /// What SQL's comparison with another value comes to.
    func compare(_ comparison: ConditionTest.Comparison, _ other: ConditionScalar) -> ConditionTruth {
        switch (self, other) {
        case (.unknown, _), (_, .unknown): return .unknown
        case (.null, _), (_, .null): return .null
        case (.number(let low, let high), .number(let otherLow, let otherHigh)):
            if high < otherLow { return Self.truth(of: comparison, -1) }
            if low > otherHigh { return Self.truth(of: comparison, 1) }
            return low == high && otherLow == otherHigh ? Self.truth(of: comparison, 0) : .unknown
        case (.number, .text), (.number, .composite): return Self.truth(of: comparison, -1)
        case (.text, .number), (.composite, .number): return Self.truth(of: comparison, 1)
        case (.text(let one), .text(let other)): return Self.truth(of: comparison, Self.order(one, other))
        case (.composite, .text), (.text, .composite), (.composite, .composite): return .unknown
        }
    }

    /// Less than, equal to or greater than zero, as memcmp has it.
    static func order(_ one: [UInt8], _ other: [UInt8]) -> Int {
        if one == other { return 0 }
        return one.lexicographicallyPrecedes(other) ? -1 : 1
    }

    private static func truth(of comparison: ConditionTest.Comparison, _ order: Int) -> ConditionTruth {
        switch comparison {
        case .less: ConditionTruth(order < 0)
        case .lessOrEqual: ConditionTruth(order <= 0)
        case .equal: ConditionTruth(order == 0)
        case .notEqual: ConditionTruth(order != 0)
        case .greaterOrEqual: ConditionTruth(order >= 0)
        case .greater: ConditionTruth(order > 0)
        }
    }
}
