import ClientProtocol
package import JSON
import Model
import Store

/// `GET /v1/broadcasts/ID`; the number delivered live is added by the server, which counts it.
///
/// - Confinement: any
package struct ReadBroadcast: ReadUseCase {
    let id: Int64
    let delivered: Int64

    package init(id: Int64, delivered: Int64) {
        self.id = id
        self.delivered = delivered
    }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        guard let broadcast = try context.transaction.broadcasts.find(id) else {
            throw Refusal(.notFound, "there is no broadcast \(id)", field: "id")
        }
        reply.member("id", String(id))
        reply.member("audience", broadcast.audience)
        reply.member("size", broadcast.size)
        reply.member("seq", broadcast.position.value)
        reply.member("at", broadcast.at.text)
        reply.member("delivered", delivered)
        reply.member("cancelled", broadcast.isCancelled)
    }
}
