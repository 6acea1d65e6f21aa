package import Execution
package import JSON
package import Model
import Store

/// `POST /v1/dead/ID/retry`: tries again what had given up, and deletes the letter.
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

    package func perform(in context: WriteContext) throws -> Answer {
        guard let letter = try context.transaction.dead.find(id) else { throw DeadLetters.missing(id) }
        let retried: Answer.Retried
        if let webhook = letter.webhook {
            let url = try context.transaction.triggers.webhook(of: letter.trigger)
            let webhooks = context.transaction.webhooks
            retried = .webhook(isQueued: try webhooks.requeue(job: webhook.job, url: url, at: context.now))
        } else {
            retried = .trigger(try DeadLetters.fireAgain(letter, in: context))
        }
        _ = try context.transaction.dead.delete(id)
        return Answer(id: id, retried: retried)
    }

    /// The answer: `id`, `kind`, `queued` and `triggers`.
    package struct Answer: UseCaseAnswer {
        enum Retried {
            case webhook(isQueued: Bool)
            case trigger([TriggerReport])
        }

        let id: Int64
        let retried: Retried

        package func write(to reply: inout JSONWriter) {
            reply.member("id", id)
            switch retried {
            case .webhook(let isQueued):
                reply.member("kind", "webhook")
                reply.member("queued", isQueued)
            case .trigger(let reports):
                reply.member("kind", "trigger")
                reply.member("triggers", .array(reports.map(\.json)))
            }
        }
    }
}
