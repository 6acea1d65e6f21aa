import ClientProtocol
package import Execution
package import Model
import Store

/// The ends of invitations, each with an event for the devices of the invited person.
///
/// - Confinement: store (the writer's thread)
package struct Invitations {
    private let context: WriteContext

    package init(in context: WriteContext) { self.context = context }

    private var transaction: WriteTransaction { context.transaction }

    /// An invitation from this time or before it waits no longer.
    static func expired(at now: Timestamp) -> Timestamp {
        Timestamp(milliseconds: now.milliseconds - RoomLimits.invitationMilliseconds)
    }

    /// The invitation of a person into a room, if it still waits for the answer.
    func open(_ user: StreamID, in chat: Int64) throws -> InvitationEntry? {
        guard let found = try transaction.invitations.find(user, in: chat) else { return nil }
        return isOpen(found) ? found : nil
    }

    private func isOpen(_ invitation: InvitationEntry) -> Bool {
        invitation.inviter != nil && isRecent(invitation)
    }

    /// Whether the time is not over for which an invitation waits; a no keeps others from asking for as long.
    func isRecent(_ row: InvitationEntry) -> Bool { row.at > Self.expired(at: context.now) }

    /// Ends an invitation; one that waits no longer ends without an event.
    @discardableResult
    func end(_ invitation: InvitationEntry, _ reason: InvitationEnd, key: WriteKey? = nil) throws -> Position {
        if reason == .declined {
            try sayNo(invitation.user, in: invitation.chat)
        } else {
            try transaction.invitations.delete(invitation.user, in: invitation.chat)
        }
        guard isOpen(invitation), let chat = try transaction.chats.find(number: invitation.chat) else {
            return transaction.head
        }
        let event = Event.roomUninvited(
            seq: transaction.nextPosition, chat: chat.name, reason, at: context.now, key: key)
        return try transaction.append(event, to: invitation.user)
    }

    /// The person does not want to be in a room: for some time nobody invites them again, and from then on nobody brings them in.
    func sayNo(_ user: StreamID, in chat: Int64) throws {
        try transaction.invitations.put(InvitationEntry(chat: chat, user: user, inviter: nil, at: context.now))
    }

    /// Withdraws the newest invitations that somebody made.
    ///
    /// - Parameter user: the invited person; nil for all.
    /// - Returns: how many there were.
    @discardableResult
    package func withdraw(by inviter: StreamID, to user: StreamID? = nil, limit: Int = Int(RoomLimits.invitedMax))
        throws -> Int
    {
        let found = try transaction.invitations.all(by: inviter, to: user, limit: limit)
        for invitation in found { try end(invitation, .withdrawn) }
        return found.count
    }

    /// Withdraws the invitations into a room.
    ///
    /// - Parameter inviter: the person who made them; nil for all.
    func withdraw(from chat: Int64, by inviter: StreamID? = nil) throws {
        for invitation in try transaction.invitations.all(in: chat)
        where inviter == nil || invitation.inviter == inviter {
            try end(invitation, .withdrawn)
        }
    }
}
