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

    package func perform(in context: ReadContext) throws -> Answer {
        guard let broadcast = try context.transaction.broadcasts.find(id) else {
            throw Refusal.noBroadcast(id)
        }
        return Answer(id: id, broadcast: broadcast, delivered: delivered)
    }

    /// The answer: `id`, `audience`, `size`, `seq`, `at`, `delivered` and `cancelled`.
    package struct Answer: UseCaseAnswer {
        let id: Int64
        let broadcast: BroadcastEntry
        let delivered: Int64

        package func write(to reply: inout JSONWriter) {
            reply.member("id", String(id))
            reply.member("audience", broadcast.audience)
            reply.member("size", broadcast.size)
            reply.member("seq", broadcast.position.value)
            reply.member("at", broadcast.at)
            reply.member("delivered", delivered)
            reply.member("cancelled", broadcast.isCancelled)
        }
    }
}
