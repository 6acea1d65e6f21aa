import ClientProtocol
package import JSON
import Model
import Store

/// `DELETE /v1/broadcasts/ID`: takes the notification back, from every device it is on and from those to come.
///
/// - Confinement: any
package struct CancelBroadcast: WriteUseCase {
    let id: Int64

    package init(id: Int64) { self.id = id }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let transaction = context.transaction
        guard let broadcast = try transaction.broadcasts.find(id) else {
            throw Refusal(.notFound, "there is no broadcast \(id)", field: "id")
        }
        if !broadcast.isCancelled {
            try transaction.broadcasts.cancel(id, at: context.now)
            try transaction.snoozes.cancel(broadcast.position)
            if let written = try transaction.notifications.findWritten(at: broadcast.position) {
                try context.removeCopies(of: written, reason: .retracted)
            }
            if let entry = try transaction.notifications.find(broadcast.position) {
                let isInbox = BroadcastAudience(broadcast.audience).map { if case .user = $0 { true } else { false } }
                try context.remove(entry, reason: .retracted, isInbox: isInbox ?? false)
            }
        }
        reply.member("id", String(id))
        reply.member("cancelled", true)
    }
}
