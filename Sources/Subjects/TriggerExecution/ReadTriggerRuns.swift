import ClientProtocol
package import Execution
package import JSON
import Model
import Store

/// `GET /v1/triggers/NAME/runs`: what a trigger did, newest first, also of a deleted trigger.
///
/// - Confinement: any
package struct ReadTriggerRuns: ReadUseCase {
    let name: String
    let before: String?
    let limit: Int

    package init(name: String, before: String?, limit: Int) {
        self.name = name
        self.before = before
        self.limit = limit
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let before = try Cursor.number(before, field: "before") ?? Position.bound
        let runs = try context.transaction.runs.runs(of: name, before: Position(before), limit: limit + 1)
        guard try !runs.isEmpty || context.transaction.triggers.find(name) != nil else {
            throw Refusal.noTrigger(name)
        }
        // A page ends between two changes: one may have left both a notification and a dead letter.
        var page = runs.prefix(limit)
        if runs.count > limit, let last = page.last, runs[limit].change == last.change {
            let whole = page.prefix { $0.change > last.change }
            if !whole.isEmpty { page = whole }
        }
        var answer: JSONObject = ["trigger": .string(name), "runs": .array(page.map(Self.json))]
        if runs.count > page.count { answer["next"] = page.last.map { .string(String($0.change.value)) } }
        return answer
    }

    private static func json(_ run: TriggerRunTable.Run) -> JSONValue {
        var object: JSONObject = ["seq": .integer(run.change.value)]
        object["path"] = run.path.map { .string($0) } ?? .null
        object["at"] = run.at.map { .string($0.text) }
        switch run.effect {
        case .notified(let count, let removed, let first):
            object["effect"] = "notified"
            object["notifications"] = .integer(count)
            object["removed"] = .integer(removed)
            object["first"] = .string(NotificationEntry.id(of: first))
        case .scheduled(let due):
            object["effect"] = "scheduled"
            object["due"] = .string(due.text)
        case .failed(let reason):
            object["effect"] = "failed"
            object["reason"] = .string(reason)
        }
        return .object(object)
    }
}
