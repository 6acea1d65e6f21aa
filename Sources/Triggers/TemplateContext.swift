import JSON
import Model

/// What templates see of a change: `before`, `after`, `now`, and the path's names.
struct TemplateContext {
    let values: JSONObject
    let budget: RenderBudget

    init(
        change: DocumentChange,
        names: [String: String],
        now: Timestamp,
        budget: RenderBudget = RenderBudget()
    ) {
        self.budget = budget
        var members: [(name: String, value: JSONValue)] = [
            ("before", change.before ?? .null), ("after", change.after ?? .null), ("now", .string(now.text)),
        ]
        // A row's pattern gives none of its names twice, nor one of the three.
        for (name, value) in names { members.append((name, .string(value))) }
        values = JSONObject(distinct: members)
    }
}
