/// How often the rare cases came: a run without them would prove nothing.
struct Marks {
    enum Case: CaseIterable {
        case elections, fenced, deposed, unanswered, hindered, cutOff
        /// A node found its own entry after a refusal, or before the answer.
        case refusedAndOwn, readBeforeAnswer
        /// Parts whose last one never came.
        case voidParts
        /// A leader of the journal took entries with it that it had accepted.
        case vanished
        /// A database went back, and read on.
        case wentBack
    }

    private(set) var counts: [Case: Int] = [:]

    mutating func note(_ mark: Case, _ count: Int = 1) { counts[mark, default: 0] += count }

    mutating func add(_ other: Marks) { counts.merge(other.counts, uniquingKeysWith: +) }

    subscript(mark: Case) -> Int { counts[mark, default: 0] }

    var text: String { Case.allCases.map { "\($0) \(self[$0])" }.joined(separator: ", ") }
}
