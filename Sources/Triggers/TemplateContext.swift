import JSON
import Model

/// What templates see of a change: `before`, `after`, `now`, the path's names, and other documents by theirs.
struct TemplateContext {
    let values: JSONObject
    let budget: RenderBudget

    init(
        change: DocumentChange,
        names: [String: String],
        others: [String] = [],
        now: Timestamp,
        budget: RenderBudget = RenderBudget()
    ) {
        self.budget = budget
        var members: [(name: String, value: JSONValue)] = [
            ("before", change.before ?? .null), ("after", change.after ?? .null), ("now", .string(now.text)),
        ]
        // A row gives none of its names twice, nor one of the three.
        for (name, value) in names { members.append((name, .string(value))) }
        for (index, name) in others.enumerated() {
            members.append((name, change.others.indices.contains(index) ? change.others[index] ?? .null : .null))
        }
        // Only a row that calls nothing else so has a reader's zone.
        if let zone = change.readerZone { members.append((ReaderZone.name, .string(zone))) }
        values = JSONObject(distinct: members)
    }
}
