import ClientProtocol
package import JSON
package import Model
import Store
import Triggers

/// `GET /v1/dead`: triggers that failed on a change and webhooks that gave up, newest first.
///
/// - Confinement: any
package struct ListDead: ReadUseCase {
    let trigger: String?
    let before: String?
    let limit: Int

    /// - Parameter trigger: name of one; nil for all.
    package init(trigger: String? = nil, before: String?, limit: Int) {
        self.trigger = trigger
        self.before = before
        self.limit = limit
    }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        let before = try Cursor.number(before, field: "before") ?? .max
        let dead = try context.transaction.dead.list(trigger: trigger, before: before, limit: limit + 1)
        reply.name("dead")
        reply.beginArray()
        for letter in dead.prefix(limit) { write(letter, to: &reply) }
        reply.endArray()
        if dead.count > limit { reply.member("next", String(dead[limit - 1].id)) }
    }

    private func write(_ letter: DeadLetter, to reply: inout JSONWriter) {
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

/// `POST /v1/dead/ID/retry`: once more what had given up; the letter goes.
///
/// - Confinement: any
package struct RetryDead: WriteUseCase {
    let id: Int64
    package let key: WriteKey?

    package init(id: Int64, key: WriteKey?) {
        self.id = id
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("dead.retry")
        fingerprint.add(id)
    }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        guard let letter = try context.transaction.dead.find(id) else { throw DeadLetters.missing(id) }
        reply.member("id", id)
        reply.member("kind", letter.webhook == nil ? "trigger" : "webhook")
        if let webhook = letter.webhook {
            let url = try context.transaction.triggers.webhook(of: letter.trigger)
            let isQueued = try context.transaction.requeue(job: webhook.job, url: url, at: context.now)
            reply.member("queued", isQueued)
        } else {
            reply.member("triggers", .array(try DeadLetters.fireAgain(letter, in: context).map(\.json)))
        }
        _ = try context.transaction.dead.delete(id)
    }
}

/// `DELETE /v1/dead/ID`.
///
/// - Confinement: any
package struct DeleteDead: WriteUseCase {
    let id: Int64

    package init(id: Int64) { self.id = id }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        guard try context.transaction.dead.delete(id) else { throw DeadLetters.missing(id) }
        reply.member("id", id)
    }
}

/// What the use cases of dead letters share.
private enum DeadLetters {
    static func missing(_ id: Int64) -> Refusal { Refusal(.notFound, "there is no dead letter \(id)", field: "id") }

    /// Fires a trigger again on the change that it failed on.
    ///
    /// - Throws: `Refusal`: it fails again, or does nothing now, or there is no such trigger, or the change is not known any more; the letter
    ///   stays then.
    static func fireAgain(_ letter: DeadLetter, in context: WriteContext) throws -> [TriggerReport] {
        try checkIsOfTrigger(letter, in: context)
        let reports = try context.fireAgain(trigger: letter.trigger, at: letter.change)
        for report in reports {
            switch report.effect {
            case .notified, .scheduled: continue
            case .skipped where report.isDone: continue
            case .skipped(let reason):
                throw Refusal(
                    .conflict,
                    "\(letter.trigger) sends nothing: \(reason); the letter stays; delete it if that is right",
                    field: "id"
                )
            case .failed(let reason):
                throw Refusal(.conflict, "\(letter.trigger) fails again: \(reason); the letter stays", field: "id")
            }
        }
        return reports
    }

    /// Digests and snoozed notifications that could not be written stand among the letters under names that are no
    /// triggers'.
    ///
    /// - Throws: `Refusal` for those.
    private static func checkIsOfTrigger(_ letter: DeadLetter, in context: WriteContext) throws {
        guard letter.trigger == "digest" || letter.trigger == "snooze" else { return }
        if let trigger = context.engine.trigger(named: letter.trigger), let path = try? DocumentPath(letter.path),
            trigger.definition.path.match(path) != nil
        {
            return
        }
        throw Refusal(
            .conflict,
            "this letter comes from a \(letter.trigger) of \(letter.path), not from a trigger: it cannot be retried; delete it",
            field: "id"
        )
    }
}
