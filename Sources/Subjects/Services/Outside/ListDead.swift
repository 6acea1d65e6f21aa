package import Execution
package import JSON
import Model
import Store

/// `GET /v1/dead`: triggers that failed on a change, and webhooks and pushes that gave up, newest first.
///
/// - Confinement: any
package struct ListDead: ReadUseCase {
    let trigger: String?
    let before: String?
    let limit: Int

    /// - Parameter trigger: the name of a trigger; nil for all.
    package init(trigger: String? = nil, before: String?, limit: Int) {
        self.trigger = trigger
        self.before = before
        self.limit = limit
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let before = try Cursor.number(before, field: "before") ?? .max
        let dead = try context.transaction.dead.list(trigger: trigger, before: before, limit: limit + 1)
        return JSONObject("dead", Page(dead, limit: limit) { String($0.id) }) { .object(Self.json($0)) }
    }

    private static func json(_ letter: DeadLetter) -> JSONObject {
        var object: JSONObject = [
            "id": .integer(letter.id), "kind": .string(letter.kind),
            "trigger": .string(letter.trigger), "path": .string(letter.path), "seq": .integer(letter.change.value),
            "reason": .string(letter.reason), "at": .string(letter.at.text),
        ]
        if let webhook = letter.webhook {
            object["delivery"] = .string(String(webhook.job))
            object["webhookId"] = .string(webhook.name)
            object["url"] = .string(webhook.url)
            object["attempts"] = .integer(webhook.attempts)
            object["status"] = webhook.status.map { .integer($0) }
            object["answer"] = webhook.answer.map { .string($0) }
        }
        if let push = letter.push {
            object["job"] = .string(String(push.job))
            object["device"] = .string(String(push.device))
            object["attempts"] = .integer(push.attempts)
            object["status"] = push.status.map { .integer($0) }
            object["answer"] = push.answer.map { .string($0) }
        }
        return object
    }
}

extension DeadLetter {
    /// The kind that clients see: `trigger`, `webhook` or `push`.
    var kind: String { webhook != nil ? "webhook" : push != nil ? "push" : "trigger" }
}
