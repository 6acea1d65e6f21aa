package import Model

/// Lets a member of a room write nothing until a time, or write again.
///
/// - Confinement: any
package struct RoomMuteCommand: Command {
    package static let name = "room.mute"

    package var chat: ChatID
    package var user: UserID
    /// Nil lets the member write again.
    package var until: Timestamp?
    package var key: WriteKey?
}

extension RoomMuteCommand {
    package static let form = CommandForm([.room, .user, .until, .anyKey], ok: [.seq])

    package init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").roomID()
        user = try fields.required("user").admittedUserID()
        until = try fields.optional("until")?.time()
        key = try fields.optional("key")?.key()
    }
}
