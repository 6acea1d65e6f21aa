package import Model

/// The commands of groups.
extension Command {
    /// A group with its first members; the creator is one without being named.
    package struct RoomCreate: Sendable, Hashable {
        package var title: String
        /// Without repeats.
        package var members: [UserID]
        /// Makes a repeat harmless.
        package var key: WriteKey?

        package init(title: String, members: [UserID], key: WriteKey? = nil) {
            self.title = title
            self.members = members
            self.key = key
        }
    }

    /// More members for a group.
    package struct RoomInvite: Sendable, Hashable {
        /// A room.
        package var chat: ChatID
        /// Without repeats.
        package var members: [UserID]

        package init(chat: ChatID, members: [UserID]) {
            self.chat = chat
            self.members = members
        }
    }

    /// The user leaves a group.
    package struct RoomLeave: Sendable, Hashable {
        /// A room.
        package var chat: ChatID

        package init(chat: ChatID) {
            self.chat = chat
        }
    }
}

extension Command.RoomCreate {
    init(_ fields: Fields) throws(Refusal) {
        title = try fields.required("title").text(1...FieldLimits.roomTitleCharactersMax)
        members = try fields.required("members").users(0...FieldLimits.roomMembersMax)
        key = try fields.optional("key")?.key()
    }
}

extension Command.RoomInvite {
    init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").group()
        members = try fields.required("members").users(1...FieldLimits.roomMembersMax)
    }
}

extension Command.RoomLeave {
    init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").group()
    }
}
