import JSON
import Model

/// The names that templates can use for a change: `before`, `after`, `now`, the path's names, and other documents by
/// their names.
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
        // The names of a row differ from each other and from these three.
        for (name, value) in names { members.append((name, .string(value))) }
        for (index, name) in others.enumerated() {
            members.append((name, change.others.indices.contains(index) ? change.others[index] ?? .null : .null))
        }
        // The name is the reader's zone only if the row gives it no other meaning.
        if let zone = change.readerZone { members.append((ReaderZone.name, .string(zone))) }
        values = JSONObject(distinct: members)
    }
}
