package import Model

/// Sets up a room of the user in another way; what is absent stays.
///
/// - Confinement: any
package struct RoomUpdateCommand: Command {
    package static let name = "room.update"

    package var chat: ChatID
    package var title: String?
    package var isOpen: Bool?
    package var posting: RoomPosting?
    package var history: RoomHistory?
    package var pace: Int64?
    package var key: WriteKey?
}

extension RoomUpdateCommand {
    package static let form = CommandForm(
        [.room, .may("title", .roomTitle), .may("pace", .integer(0...RoomLimits.paceSecondsMax)), .anyKey]
            + CommandForm.roomSettings,
        ok: [.seq])

    package init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").roomID()
        title = try fields.optional("title")?.roomTitle()
        isOpen = try fields.optional("open")?.bool()
        posting = try fields.optional("posting")?.roomPosting()
        history = try fields.optional("history")?.roomHistory()
        pace = try fields.optional("pace")?.integer(0...RoomLimits.paceSecondsMax)
        key = try fields.optional("key")?.key()
    }
}
