package import Model

/// The user enters an open room.
///
/// - Confinement: any
package struct RoomJoinCommand: Command {
    package static let name = "room.join"

    package var chat: ChatID
    package var key: WriteKey?
}

extension RoomJoinCommand {
    package static let form = CommandForm([.room, .anyKey], ok: [.seq])

    package init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").roomID()
        key = try fields.optional("key")?.key()
    }
}
