package import Execution
package import JSON
package import Model
import Push
import Store
import Webhooks

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

    package func perform(in context: WriteContext) throws -> JSONObject {
        guard let letter = try context.transaction.dead.find(id) else { throw DeadLetters.missing(id) }
        var answer: JSONObject = ["id": .integer(id), "kind": .string(letter.kind)]
        if let webhook = letter.webhook {
            let url = try context.transaction.triggers.webhook(of: letter.trigger)
            let webhooks = context.transaction.webhooks
            answer["queued"] = .bool(try webhooks.requeue(job: webhook.job, url: url, at: context.now))
        } else if let push = letter.push {
            // As the device is registered now.
            answer["queued"] = .bool(
                try context.transaction.pushJobs.reopen(
                    job: push.job, device: push.device, variant: "usual", at: context.now))
        } else {
            answer["triggers"] = .array(try DeadLetters.fireAgain(letter, in: context).map(\.json))
        }
        _ = try context.transaction.dead.delete(id)
        return answer
    }
}
