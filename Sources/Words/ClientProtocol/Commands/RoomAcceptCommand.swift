package import Model

/// The user enters a room into which somebody has invited the user.
///
/// - Confinement: any
package struct RoomAcceptCommand: Command {
    package static let name = "room.accept"

    package var chat: ChatID
    package var key: WriteKey?
}

extension RoomAcceptCommand {
    package static let form = CommandForm([.room, .anyKey], ok: [.seq])

    package init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").roomID()
        key = try fields.optional("key")?.key()
    }
}
