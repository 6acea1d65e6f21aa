import JSON

/// Rules out those of many triggers on the same documents whose conditions are certainly not true for a change. Like
/// systems of content-based publish and subscribe, it does one look-up for each field instead of evaluating one
/// condition for each trigger.
///
/// Each trigger is registered by one conjunct of its condition, in a table by value or in a list sorted by threshold;
/// its other conjuncts are tested when that one may be true. The cost is one look-up for each field that any condition
/// names.
///
/// - Confinement: store
struct ConditionIndex {
    /// Triggers whose conditions only SQLite can evaluate.
    private var always: [Int] = []
    /// Triggers without a conjunct that can be looked up; each is tested.
    private var unordered: [Int] = []
    private var fields: [ConditionFieldIndex] = []
    private let shapes: [ConditionShape?]

    /// - Parameter shapes: The shapes of the triggers' conditions, in the order of the triggers; nil for triggers that
    ///   must always be evaluated.
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

    /// The triggers whose conditions may be true, in ascending order.
    func candidates(before: JSONValue?, after: JSONValue?) -> [Int] {
        var found = unordered
        for field in fields { field.find(field.field.value(before: before, after: after), in: &found) }
        guard !found.isEmpty else { return always }
        found.removeAll { shapes[$0]?.falsehood(before: before, after: after) != nil }
        return (found + always).sorted()
    }
}

extension ConditionTest {
    /// The field by which the test can be looked up; nil when it cannot be.
    fileprivate var indexedField: ConditionField? {
        switch self {
        case .compare(let field, _, _), .isAmong(let field, _), .isNull(let field, _): field
        case .compareFields: nil
        }
    }

    /// A higher number for tests that few documents are likely to pass.
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
