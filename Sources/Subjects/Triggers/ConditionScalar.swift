import JSON

/// A value in SQLite's order: NULL, numbers, texts by their bytes (sqlite.org/datatype3.html, section 4.1); with the
/// precision to which it is known.
enum ConditionScalar: Sendable, Hashable {
    case null
    /// A number between these two, which are equal where it is exact.
    case number(low: Double, high: Double)
    /// UTF-8 bytes: Swift orders and compares strings in another way.
    case text([UInt8])
    /// The text of an object or a list, whose bytes are not looked at.
    case composite
    case unknown

    /// Up to here, a double holds every whole number exactly.
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

    /// A number read from a text: other code may read it with other last bits.
    static func real(_ value: Double) -> ConditionScalar {
        guard value.magnitude < 1e300, value == 0 || value.magnitude > 1e-300 else { return .unknown }
        if value.magnitude <= Double(exactMax), value.rounded(.towardZero) == value { return .exact(value) }
        let margin = value.magnitude * 1e-12
        return .number(low: value - margin, high: value + margin)
    }

    /// The result of SQL's comparison with another value.
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

    /// A number below, equal to or above zero, as memcmp returns it.
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
