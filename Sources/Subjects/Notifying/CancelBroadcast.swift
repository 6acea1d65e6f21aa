import ClientProtocol
package import Execution
package import JSON
import Model
import Store

/// `DELETE /v1/broadcasts/ID`: what was not sent stays unsent, and what was is taken away from all devices, also from devices
/// that connect later.
///
/// - Confinement: any
package struct CancelBroadcast: WriteUseCase {
    let id: Int64

    package init(id: Int64) { self.id = id }

    package func perform(in context: WriteContext) throws -> JSONObject {
        guard let broadcast = try context.transaction.broadcasts.find(id) else { throw Refusal.noBroadcast(id) }
        if !broadcast.isCancelled {
            try context.transaction.broadcasts.cancel(id, at: context.now)
            let audience = BroadcastAudience(broadcast.audience)
            if broadcast.isToSeveral {
                for position in broadcast.earlier {
                    try Self.takeBack(position, of: id, isInbox: false, in: context)
                }
                _ = try BroadcastSending(in: context).takeBackSlice(broadcast)
            } else if audience == .online {
                if broadcast.sent != nil { BroadcastSending(in: context).takeBackOnline(id) }
            } else {
                let isInbox = if case .user? = audience { true } else { false }
                for position in broadcast.positions {
                    try Self.takeBack(position, of: id, isInbox: isInbox, in: context)
                }
            }
        }
        return ["id": .string(String(id)), "cancelled": true]
    }

    /// Takes one notification of a broadcast away.
    static func takeBack(_ position: Position, of id: Int64, isInbox: Bool, in context: WriteContext) throws {
        let transaction = context.transaction
        guard let written = try transaction.notifications.findWritten(at: position), written.broadcast == id else {
            return
        }
        let removal = NotificationRemoval(in: context)
        try transaction.snoozes.cancel(position)
        try removal.removeCopies(of: written, reason: .retracted)
        if let entry = try transaction.notifications.find(position) {
            try removal.remove(entry, reason: .retracted, isInbox: isInbox)
        }
    }
}
