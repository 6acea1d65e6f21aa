package import JSON
package import Model
import Store

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
