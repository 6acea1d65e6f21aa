import JSON
import Model

/// Rules out, of many triggers on the same documents, those whose conditions are known not to be true of a change: as
/// systems of content-based publish and subscribe do it, a look-up for each field instead of a condition for each trigger.
///
/// Each trigger stands under one conjunct of its condition, in a table by value or a list in the order of thresholds; its
/// other conjuncts are looked at when that one may be true. Costs a look-up for each field that any of the conditions names.
///
/// - Confinement: store
struct ConditionIndex {
    /// Those that SQLite alone can tell of.
    private var always: [Int] = []
    /// Those of whose conjuncts none can be looked up; each is looked at.
    private var unordered: [Int] = []
    private var fields: [ConditionFieldIndex] = []
    private let shapes: [ConditionShape?]

    /// - Parameter shapes: of the triggers' conditions, in the order of the triggers; nil for those that are always looked at.
    init(_ shapes: [ConditionShape?]) {
        self.shapes = shapes
        for (index, shape) in shapes.enumerated() {
            guard let shape else {
                always.append(index)
                continue
            }
            guard let test = shape.tests.max(by: { $0.selectivity < $1.selectivity }), let field = test.indexedField
            else {
                unordered.append(index)
                continue
            }
            let place = fields.firstIndex { $0.field == field } ?? fields.endIndex
            if place == fields.endIndex { fields.append(ConditionFieldIndex(field: field)) }
            fields[place].add(test, index)
        }
        for place in fields.indices { fields[place].sort() }
    }

    /// Those whose conditions may be true, ascending.
    func candidates(before: JSONValue?, after: JSONValue?) -> [Int] {
        var found = unordered
        for field in fields { field.find(field.field.value(before: before, after: after), in: &found) }
        guard !found.isEmpty else { return always }
        found.removeAll { shapes[$0]?.falsehood(before: before, after: after) != nil }
        return (found + always).sorted()
    }
}

extension ConditionTest {
    /// The field under which the test is looked up; nil when it cannot be.
    fileprivate var indexedField: ConditionField? {
        switch self {
        case .compare(let field, _, _), .isAmong(let field, _), .isNull(let field, _): field
        case .compareFields: nil
        }
    }

    /// How few documents the test is likely to let through.
    fileprivate var selectivity: Int {
        switch self {
        case .compare(_, .equal, _): 5
        case .isAmong: 4
        case .compare(_, .less, _), .compare(_, .lessOrEqual, _), .compare(_, .greater, _),
            .compare(_, .greaterOrEqual, _):
            3
        case .isNull: 2
        case .compare(_, .notEqual, _): 1
        case .compareFields: 0
        }
    }
}
