import JSON
package import Model

/// An invitation into a room, as its person sees it.
///
/// - Confinement: any
package struct InvitationBody: Sendable, Hashable {
    package let chat: ChatID
    package let title: String
    /// The person who invites.
    package let by: UserID
    package let at: Timestamp

    package init(chat: ChatID, title: String, by: UserID, at: Timestamp) {
        self.chat = chat
        self.title = title
        self.by = by
        self.at = at
    }

    /// When it ends by itself.
    package var expires: Timestamp { Timestamp(milliseconds: at.milliseconds + RoomLimits.invitationMilliseconds) }
}

/// Why an invitation ends before its time.
///
/// - Confinement: any
package enum InvitationEnd: String, Sendable, CaseIterable {
    case accepted, declined
    /// Also when the room is closed, or when one of the two blocks the other.
    case withdrawn
}

/// Events of invitations, which only the devices of the invited person get.
extension Event {
    /// Somebody invites the user into a room.
    package static func roomInvited(seq: Position, _ invitation: InvitationBody) -> EncodedEvent {
        durable(seq, .roomInvited) {
            $0.member("chat", invitation.chat)
            $0.member("title", invitation.title)
            $0.member("by", invitation.by.text)
            $0.member("at", invitation.at)
            $0.member("expires", invitation.expires)
        }
    }

    /// An invitation waits no longer.
    package static func roomUninvited(
        seq: Position, chat: ChatID, _ reason: InvitationEnd, at: Timestamp, key: WriteKey?
    ) -> EncodedEvent {
        durable(seq, .roomUninvited) {
            $0.member("chat", chat)
            $0.member("reason", reason.rawValue)
            $0.member("at", at)
            if let key { $0.member("key", key.text) }
        }
    }
}
