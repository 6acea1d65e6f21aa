package import Execution
package import JSON
import Model
import Store

/// `GET /v1/dead`: triggers that failed on a change and webhooks that gave up, newest first.
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

    package func perform(in context: ReadContext) throws -> Answer {
        let before = try Cursor.number(before, field: "before") ?? .max
        let dead = try context.transaction.dead.list(trigger: trigger, before: before, limit: limit + 1)
        return Answer(page: Page(dead, limit: limit) { String($0.id) })
    }

    /// The answer: `dead`.
    package struct Answer: UseCaseAnswer {
        let page: Page<DeadLetter>

        package func write(to reply: inout JSONWriter) {
            reply.array("dead") { reply in
                for entry in page.entries { ListDead.write(entry, to: &reply) }
            }
            reply.next(of: page)
        }
    }

    private static func write(_ letter: DeadLetter, to reply: inout JSONWriter) {
        reply.beginObject()
        reply.member("id", letter.id)
        reply.member("kind", letter.webhook == nil ? "trigger" : "webhook")
        reply.member("trigger", letter.trigger)
        reply.member("path", letter.path)
        reply.member("seq", letter.change.value)
        reply.member("reason", letter.reason)
        reply.member("at", letter.at.text)
        if let webhook = letter.webhook {
            reply.member("delivery", String(webhook.job))
            reply.member("webhookId", webhook.name)
            reply.member("url", webhook.url)
            reply.member("attempts", webhook.attempts)
            if let status = webhook.status { reply.member("status", status) }
            if let answer = webhook.answer { reply.member("answer", answer) }
        }
        reply.endObject()
    }
}
