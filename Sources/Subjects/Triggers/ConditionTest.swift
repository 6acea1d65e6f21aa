import JSON

/// One recognized conjunct of a condition.
enum ConditionTest: Sendable, Hashable {
    enum Comparison: Sendable, Hashable {
        case less, lessOrEqual, equal, notEqual, greaterOrEqual, greater

        /// The comparison with its sides exchanged.
        var flipped: Comparison {
            switch self {
            case .less: .greater
            case .lessOrEqual: .greaterOrEqual
            case .greaterOrEqual: .lessOrEqual
            case .greater: .less
            case .equal, .notEqual: self
            }
        }
    }

    /// `after ->> 'index' >= 4`
    case compare(ConditionField, Comparison, ConditionScalar)
    /// `before ->> 'due' <> after ->> 'due'`
    case compareFields(ConditionField, Comparison, ConditionField)
    /// `after ->> 'kind' IN ('a', 'b')`
    case isAmong(ConditionField, [ConditionScalar])
    /// `… IS NULL`, `before IS NOT NULL`
    case isNull(ConditionField, Bool)

    /// The result of the test for a change, by SQL's rules.
    func truth(before: JSONValue?, after: JSONValue?) -> ConditionTruth {
        switch self {
        case .compare(let field, let comparison, let literal):
            return field.value(before: before, after: after).compare(comparison, literal)
        case .compareFields(let one, let comparison, let other):
            let value = other.value(before: before, after: after)
            return one.value(before: before, after: after).compare(comparison, value)
        case .isAmong(let field, let literals):
            let value = field.value(before: before, after: after)
            var isUnknown = false
            for literal in literals {
                switch value.compare(.equal, literal) {
                case .yes: return .yes
                case .null: return .null
                case .unknown: isUnknown = true
                case .no: break
                }
            }
            return isUnknown ? .unknown : .no
        case .isNull(let field, let isWanted):
            switch field.value(before: before, after: after) {
            case .null: return ConditionTruth(isWanted)
            case .number, .text, .composite: return ConditionTruth(!isWanted)
            case .unknown: return .unknown
            }
        }
    }
}

/// A field of the document before or after the change; the document itself where there are no names.
struct ConditionField: Sendable, Hashable {
    let isBefore: Bool
    /// The names from the outer object inwards; identifiers, so that SQLite's paths mean the same.
    let names: [String]

    /// The value as `->>` gives it.
    func value(before: JSONValue?, after: JSONValue?) -> ConditionScalar {
        guard var value = isBefore ? before : after else { return .null }
        for name in names {
            guard case .object(let object) = value, let member = object[name] else { return .null }
            value = member
        }
        // The document itself appears only in tests with IS NULL.
        return names.isEmpty ? .composite : ConditionScalar(value)
    }
}
