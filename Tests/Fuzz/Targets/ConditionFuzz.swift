import Model
import Triggers

/// Conditions. The lines of an input are the document before, the document after, and the expression. An expression
/// that compiles gives the same outcome each time, as long as its budget is enough, and does not change the runner.
struct ConditionFuzz: FuzzTarget {
    static let name = "Condition"

    private let runner: ConditionRunner
    private let plain: Condition
    private let now = Timestamp(seconds: 1_800_000_000)

    init() throws {
        runner = try ConditionRunner()
        plain = try runner.compile("now || coalesce(after, '-')")
    }

    func check(_ input: [UInt8]) throws {
        let lines = lines(input, atMost: 3)
        guard lines.count == 3 else { return }
        guard let condition = try? runner.compile(lines[2], names: ["person", "product"]) else { return }
        let before = lines[0].isEmpty ? nil : Array(lines[0].utf8)
        let after = lines[1].isEmpty ? nil : Array(lines[1].utf8)
        let names = ["525", "movie/603"]
        let outcome = condition.evaluate(before: before, after: after, names: names, now: now)
        let again = condition.evaluate(before: before, after: after, names: names, now: now)
        try expectSame(again, outcome, "evaluated again")
        let other = try ConditionRunner().compile(lines[2], names: ["person", "product"])
        try expectSame(
            other.evaluate(before: before, after: after, names: names, now: now),
            outcome,
            "evaluated by another runner"
        )
        let fine = plain.evaluate(before: nil, after: nil, names: [], now: now)
        try expect(fine, equals: .value(.text("\(now.text)-"), isTrue: true), "the runner afterwards")
    }

    /// Expects that two outcomes are the same, unless one evaluation ran out of its budget, which includes time.
    private func expectSame(_ found: Condition.Outcome, _ expected: Condition.Outcome, _ what: String) throws {
        for case .failure(let reason) in [found, expected] where reason.hasPrefix("took more than") { return }
        try expect(found, equals: expected, what)
    }
}
