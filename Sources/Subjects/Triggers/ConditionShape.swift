package import JSON

/// The conjuncts of a condition that can be evaluated without SQLite, because their meaning is certain.
///
/// A shape only rules triggers out; in all doubtful cases SQLite decides. So a conjunct counts only if it is recognized
/// to its last token. And a condition with a part that could fail has no shape: a failure must become a dead letter
/// even where another part is false (SQLite evaluates both sides of an AND).
///
/// - Confinement: any
package struct ConditionShape: Sendable {
    /// The recognized conjuncts, in their order; never empty.
    let tests: [ConditionTest]
    /// Whether these are all conjuncts: then the value is known also where it is not true.
    let isWhole: Bool

    /// - Parameters:
    ///   - text: an expression that SQLite has compiled.
    ///   - names: the names of the path.
    /// - Returns: nil when nothing was recognized, or a part could fail.
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

    /// The value of the condition where it is certainly not true: 0, or NULL where every part is known.
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

/// The result of a comparison in SQL, or that only SQLite can find it.
enum ConditionTruth {
    case yes, no, null, unknown

    init(_ isTrue: Bool) { self = isTrue ? .yes : .no }
}
