package import JSON

/// What can be told of a condition without SQLite: those of its conjuncts whose meaning is known for certain.
///
/// It only ever rules a trigger out: what it cannot tell goes to SQLite, which stays the judge. So whatever is not
/// recognized, down to the last token, is left alone; and a condition of which any part could fail has no shape, since a
/// failure must be listed among the dead even where another part is false (SQLite evaluates both sides of an AND).
///
/// - Confinement: any
package struct ConditionShape: Sendable {
    /// The conjuncts that were recognized, in their order; never empty.
    let tests: [ConditionTest]
    /// Whether these are all: then the value is known, too, where it is not true.
    let isWhole: Bool

    /// - Parameters:
    ///   - text: an expression that SQLite has compiled.
    ///   - names: the names of the path.
    /// - Returns: nil when nothing was recognized, or some part of it could fail.
    package init?(_ text: String, names: [String]) {
        guard let tokens = ConditionToken.all(of: text) else { return nil }
        var tests: [ConditionTest] = []
        var isWhole = true
        let parser = ConditionParser(names: names)
        guard let conjuncts = parser.conjuncts(of: tokens[...]) else { return nil }
        for conjunct in conjuncts {
            if let found = parser.tests(in: conjunct) {
                tests += found
            } else if parser.cannotFail(conjunct) {
                isWhole = false
            } else {
                return nil
            }
        }
        guard !tests.isEmpty else { return nil }
        self.tests = tests
        self.isWhole = isWhole
    }

    /// The value of the condition where it is known not to be true: 0, or NULL where every part is known.
    ///
    /// - Returns: nil when it may be true, or SQLite has to be asked.
    package func falsehood(before: JSONValue?, after: JSONValue?) -> SQLValue? {
        var (isNull, isKnown) = (false, isWhole)
        for test in tests {
            switch test.truth(before: before, after: after) {
            case .no: return .integer(0)
            case .null: isNull = true
            case .unknown: isKnown = false
            case .yes: break
            }
        }
        return isNull && isKnown ? .null : nil
    }
}

/// What a comparison of SQL comes to, or that only SQLite can tell.
enum ConditionTruth {
    case yes, no, null, unknown

    init(_ isTrue: Bool) { self = isTrue ? .yes : .no }

    /// SQL's NOT.
    var negated: ConditionTruth {
        switch self {
        case .yes: .no
        case .no: .yes
        case .null, .unknown: self
        }
    }
}
