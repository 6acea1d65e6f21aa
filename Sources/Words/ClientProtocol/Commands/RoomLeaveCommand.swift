package import Model

/// The user leaves a room.
///
/// - Confinement: any
package struct RoomLeaveCommand: Command {
    package static let name = "room.leave"

    package var chat: ChatID
    package var key: WriteKey?
}

extension RoomLeaveCommand {
    package static let form = CommandForm([.room, .anyKey], ok: [.seq])

    package init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").roomID()
        key = try fields.optional("key")?.key()
    }
}
