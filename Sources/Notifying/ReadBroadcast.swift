import ClientProtocol
package import Execution
package import JSON
import Model
import Store

/// `GET /v1/broadcasts/ID`; the server adds the number of live deliveries, which it counts.
///
/// - Confinement: any
package struct ReadBroadcast: ReadUseCase {
    let id: Int64
    let delivered: Int64

    package init(id: Int64, delivered: Int64) {
        self.id = id
        self.delivered = delivered
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        guard let broadcast = try context.transaction.broadcasts.find(id) else {
            throw Refusal.noBroadcast(id)
        }
        let pushes = try context.transaction.pushJobs.counts(about: broadcast.position)
        return [
            "id": .string(String(id)),
            "audience": .string(broadcast.audience),
            "size": .integer(broadcast.size),
            "seq": .integer(broadcast.position.value),
            "at": .string(broadcast.at.text),
            "delivered": .integer(delivered),
            "pushed": .integer(pushes.pushed),
            "skipped": .integer(pushes.skipped),
            "failed": .integer(pushes.failed),
            "cancelled": .bool(broadcast.isCancelled),
        ]
    }
}
