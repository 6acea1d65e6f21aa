/// The triggers whose conditions test one field of the document, by the value that they need; part of
/// ``ConditionIndex``.
struct ConditionFieldIndex {
    let field: ConditionField
    /// `=` and `IN` with exactly known numbers.
    private var equalNumbers: [Double: [Int]] = [:]
    /// `=` and `IN` with numbers that are not known exactly.
    private var nearNumbers: [(low: Double, high: Double, index: Int)] = []
    private var equalTexts: [[UInt8]: [Int]] = [:]
    /// Every trigger with `=` or `IN`, once.
    private var equal: [Int] = []
    /// `>` and `>=`, `<` and `<=`. An equal value passes here; the test itself decides.
    private var aboveNumbers = ConditionThresholds<Double>()
    private var belowNumbers = ConditionThresholds<Double>()
    private var aboveTexts = ConditionThresholds<[UInt8]>()
    private var belowTexts = ConditionThresholds<[UInt8]>()
    /// `IS NOT NULL`, `<>`.
    private var present: [Int] = []
    private var absent: [Int] = []

    init(field: ConditionField) { self.field = field }

    /// Adds a trigger by its test of this field; each trigger once.
    mutating func add(_ test: ConditionTest, _ index: Int) {
        switch test {
        case .compare(_, .equal, let literal): addEqual([literal], index)
        case .isAmong(_, let literals): addEqual(Set(literals), index)
        case .compare(_, .greater, .number(let low, _)), .compare(_, .greaterOrEqual, .number(let low, _)):
            aboveNumbers.add(low, index)
        case .compare(_, .less, .number(_, let high)), .compare(_, .lessOrEqual, .number(_, let high)):
            belowNumbers.add(high, index)
        case .compare(_, .greater, .text(let text)), .compare(_, .greaterOrEqual, .text(let text)):
            aboveTexts.add(text, index)
        case .compare(_, .less, .text(let text)), .compare(_, .lessOrEqual, .text(let text)):
            belowTexts.add(text, index)
        case .isNull(_, true): absent.append(index)
        case .isNull(_, false), .compare, .compareFields: present.append(index)
        }
    }

    private mutating func addEqual(_ literals: Set<ConditionScalar>, _ index: Int) {
        equal.append(index)
        for literal in literals {
            switch literal {
            case .number(let low, let high) where low == high: equalNumbers[low, default: []].append(index)
            case .number(let low, let high): nearNumbers.append((low, high, index))
            case .text(let text): equalTexts[text, default: []].append(index)
            // Literals are never of these kinds.
            case .null, .composite, .unknown: nearNumbers.append((-.infinity, .infinity, index))
            }
        }
    }

    /// To be called after the last `add`.
    mutating func sort() {
        aboveNumbers.sort(by: <)
        belowNumbers.sort(by: <)
        aboveTexts.sort { $0.lexicographicallyPrecedes($1) }
        belowTexts.sort { $0.lexicographicallyPrecedes($1) }
    }

    /// Appends the triggers whose test may be true for a value, each once.
    func find(_ value: ConditionScalar, in found: inout [Int]) {
        switch value {
        case .null:
            found += absent
            return
        case .number(let low, let high):
            findEqual(low, high, in: &found)
            aboveNumbers.find(before: { $0 > high }, in: &found)
            belowNumbers.find(from: { $0 >= low }, in: &found)
            // In SQLite's order every number comes before every text.
            belowTexts.findAll(in: &found)
        case .text(let text):
            if let equal = equalTexts[text] { found += equal }
            aboveNumbers.findAll(in: &found)
            aboveTexts.find(before: { text.lexicographicallyPrecedes($0) }, in: &found)
            belowTexts.find(from: { !$0.lexicographicallyPrecedes(text) }, in: &found)
        case .composite:
            found += equal
            aboveNumbers.findAll(in: &found)
            aboveTexts.findAll(in: &found)
            belowTexts.findAll(in: &found)
        case .unknown:
            found += equal + absent
            for numbers in [aboveNumbers, belowNumbers] { numbers.findAll(in: &found) }
            for texts in [aboveTexts, belowTexts] { texts.findAll(in: &found) }
        }
        found += present
    }

    private func findEqual(_ low: Double, _ high: Double, in found: inout [Int]) {
        guard low == high else {
            // A document's number that is not exact: seldom compared with = at all.
            found += equal
            return
        }
        let exact = equalNumbers[low] ?? []
        found += exact
        guard !nearNumbers.isEmpty else { return }
        var seen = Set(exact)
        for near in nearNumbers where near.low <= high && low <= near.high {
            if seen.insert(near.index).inserted { found.append(near.index) }
        }
    }
}

/// Triggers sorted by a threshold.
struct ConditionThresholds<Value> {
    private var entries: [(value: Value, index: Int)] = []

    mutating func add(_ value: Value, _ index: Int) { entries.append((value, index)) }

    mutating func sort(by precedes: (Value, Value) -> Bool) { entries.sort { precedes($0.value, $1.value) } }

    func findAll(in found: inout [Int]) {
        for entry in entries { found.append(entry.index) }
    }

    /// Appends the triggers before the first threshold that satisfies `isBehind`; all later thresholds satisfy it, too.
    func find(before isBehind: (Value) -> Bool, in found: inout [Int]) {
        for entry in entries[..<place(isBehind)] { found.append(entry.index) }
    }

    /// Appends the triggers from that threshold on.
    func find(from isBehind: (Value) -> Bool, in found: inout [Int]) {
        for entry in entries[place(isBehind)...] { found.append(entry.index) }
    }

    private func place(_ isBehind: (Value) -> Bool) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(entries[middle].value) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
