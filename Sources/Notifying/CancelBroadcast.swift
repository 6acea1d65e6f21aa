import ClientProtocol
package import Execution
package import JSON
import Model
import Store

/// `DELETE /v1/broadcasts/ID`: takes the notification away from all devices, also from devices that connect later.
///
/// - Confinement: any
package struct CancelBroadcast: WriteUseCase {
    let id: Int64

    package init(id: Int64) { self.id = id }

    package func perform(in context: WriteContext) throws -> JSONObject {
        let transaction = context.transaction
        guard let broadcast = try transaction.broadcasts.find(id) else {
            throw Refusal.noBroadcast(id)
        }
        if !broadcast.isCancelled {
            let removal = NotificationRemoval(in: context)
            try transaction.broadcasts.cancel(id, at: context.now)
            try transaction.snoozes.cancel(broadcast.position)
            if let written = try transaction.notifications.findWritten(at: broadcast.position) {
                try removal.removeCopies(of: written, reason: .retracted)
            }
            if let entry = try transaction.notifications.find(broadcast.position) {
                let isInbox = BroadcastAudience(broadcast.audience).map { if case .user = $0 { true } else { false } }
                try removal.remove(entry, reason: .retracted, isInbox: isInbox ?? false)
            }
        }
        return ["id": .string(String(id)), "cancelled": true]
    }
}
