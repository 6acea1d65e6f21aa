package import Model

/// The user does not want to enter a room into which somebody has invited the user.
///
/// - Confinement: any
package struct RoomDeclineCommand: Command {
    package static let name = "room.decline"

    package var chat: ChatID
    package var key: WriteKey?
}

extension RoomDeclineCommand {
    package static let form = CommandForm([.room, .anyKey], ok: [.seq])

    package init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").roomID()
        key = try fields.optional("key")?.key()
    }
}
