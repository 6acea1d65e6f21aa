import JSON
import Model
import Triggers

/// Rows of the trigger table: a row that is read, written and read again is the same. An evaluation always has an
/// outcome, the same each time.
struct TriggerFuzz: FuzzTarget {
    static let name = "Trigger"

    private let runner: ConditionRunner
    private let changes: [DocumentChange]

    init() throws {
        runner = try ConditionRunner()
        let film: JSONValue = [
            "title": "The Matrix", "to": "bob", "releaseDate": "2027-01-01", "cast": ["a", ["b": 1]],
        ]
        changes = try [
            DocumentChange(path: DocumentPath("users/u/followers/f"), event: .create, before: nil, after: film),
            DocumentChange(path: DocumentPath("people/5/credits/movie/6"), event: .update, before: film, after: film),
            DocumentChange(path: DocumentPath("a/b"), event: .delete, before: film, after: nil),
        ]
    }

    func check(_ input: [UInt8]) throws {
        guard let json = try? JSONValue(parsing: input), let row = try? TriggerDefinition(json: json) else { return }
        try expect(try TriggerDefinition(json: row.json), equals: row, "written and read")
        guard let trigger = try? CompiledTrigger(row, runner: runner) else { return }
        for change in changes {
            let now = Timestamp(seconds: 1_800_000_000)
            let outcome = TriggerEvaluation.evaluate(trigger, change: change, now: now)
            let again = TriggerEvaluation.evaluate(trigger, change: change, now: now)
            try expect(again, equals: outcome, "evaluated again")
            try expect(
                Self.memory(of: trigger, change, now),
                equals: Self.memory(of: trigger, change, now),
                "withdrawn and rearmed again"
            )
        }
    }

    /// Whether the change withdraws and rearms, or why this is not known.
    private static func memory(of trigger: CompiledTrigger, _ change: DocumentChange, _ now: Timestamp) -> [String] {
        let withdraws = Result { try TriggerEvaluation.withdraws(trigger, change: change, now: now) }
        let rearms = Result { try TriggerEvaluation.rearms(trigger, change: change, now: now) }
        return ["\(withdraws)", "\(rearms)"]
    }
}
