package import Model

/// Takes a member out of a room, and keeps the person out, or lets a person who was kept out come back.
///
/// - Confinement: any
package struct RoomRemoveCommand: Command {
    package static let name = "room.remove"

    package var chat: ChatID
    package var user: UserID
    /// True to keep the person out, false to end that; nil leaves it as it is.
    package var ban: Bool?
    /// When the ban ends; nil for never.
    package var until: Timestamp?
    package var reason: String?
    package var key: WriteKey?
}

extension RoomRemoveCommand {
    package static let form = CommandForm(
        [
            .room, .user, .may("ban", .flag), .until, .may("reason", .line(1...RoomLimits.reasonCharactersMax)),
            .anyKey,
        ], ok: [.seq])

    package init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").roomID()
        user = try fields.required("user").admittedUserID()
        ban = try fields.optional("ban")?.bool()
        until = try fields.optional("until")?.time()
        reason = try fields.optional("reason")?.line(1...RoomLimits.reasonCharactersMax)
        key = try fields.optional("key")?.key()
    }
}
