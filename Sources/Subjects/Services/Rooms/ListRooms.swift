package import ClientProtocol
package import Execution
package import JSON
package import Model
import Store

/// `rooms`: the rooms of the user, or the open ones, in the order in which they were made.
///
/// - Confinement: any
package struct ListRooms: ReadUseCase {
    let command: RoomsCommand

    package init(_ command: RoomsCommand) { self.command = command }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let user = try context.user().id
        let after = try Cursor.number(command.after, field: "after") ?? 0
        let (rooms, limit) = (context.transaction.rooms, command.limit + 1)
        let lines =
            command.isOpen
            ? try rooms.listOpen(for: user, after: after, limit: limit)
            : try rooms.list(of: user, after: after, limit: limit)
        return JSONObject("rooms", Page(lines, limit: command.limit) { String($0.room.chat) }) { .object($0.json) }
    }
}

/// `room.members`: the members of a room, for its members; of an open room for everybody.
///
/// - Confinement: any
package struct ListRoomMembers: ReadUseCase {
    let command: RoomMembersCommand

    package init(_ command: RoomMembersCommand) { self.command = command }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let user = try context.user().id
        let transaction = context.transaction
        // A cursor that this server has not given out is named also for a room of others.
        _ = try Cursor.number(command.after, field: "after")
        guard let chat = try transaction.chats.find(command.chat), let room = try transaction.rooms.find(chat.id),
            try room.settings.isOpen && room.members > 0 || transaction.rooms.member(user, of: chat.id) != nil
        else { throw ConversationRights.foreignChat }
        return try transaction.page(of: room, after: command.after, limit: command.limit, at: context.now)
    }
}

/// `GET /v1/rooms`: all rooms, for an administrator; also closed ones.
///
/// - Confinement: any
package struct ReadRooms: ReadUseCase {
    let after: String?
    let limit: Int

    package init(after: String?, limit: Int) {
        self.after = after
        self.limit = limit
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let after = try Cursor.number(after, field: "after") ?? 0
        let lines = try context.transaction.rooms.list(after: after, limit: limit + 1)
        return JSONObject("rooms", Page(lines, limit: limit) { String($0.room.chat) }) { .object($0.json) }
    }
}

/// `GET /v1/rooms/ID`: one room with a page of its members, for an administrator. No messages.
///
/// - Confinement: any
package struct ReadRoom: ReadUseCase {
    let name: ChatID
    let after: String?
    let limit: Int

    package init(_ name: ChatID, after: String?, limit: Int) {
        self.name = name
        self.after = after
        self.limit = limit
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let transaction = context.transaction
        _ = try Cursor.number(after, field: "after")
        guard let chat = try transaction.chats.find(name), let room = try transaction.rooms.find(chat.id) else {
            throw Refusal(.notFound, "there is no room \(name.text)")
        }
        var answer = RoomLine(name: name, room: room).json
        let page = try transaction.page(of: room, after: after, limit: limit, at: context.now)
        answer["last"] = .integer(chat.last)
        answer["people"] = page["members"]
        answer["next"] = page["next"]
        return answer
    }
}

extension Transaction {
    /// A page of a room's members: `members`, `count` and `next`.
    fileprivate func page(of room: RoomEntry, after: String?, limit: Int, at now: Timestamp) throws -> JSONObject {
        let after = try Cursor.number(after, field: "after") ?? 0
        let found = try rooms.members(of: room.chat, after: StreamID(stored: after), limit: limit + 1)
        var answer = JSONObject("members", Page(found, limit: limit) { String($0.member.user.value) }) { person in
            var object: JSONObject = [
                "user": .string(person.name.text), "role": .string(person.member.role.rawValue),
                "joined": .string(person.member.joined.text),
            ]
            if let muted = person.member.muted, muted > now { object["muted"] = .string(muted.text) }
            return .object(object)
        }
        answer["count"] = .integer(room.members)
        return answer
    }
}

extension RoomLine {
    /// The room as lists have it.
    fileprivate var json: JSONObject {
        let settings = room.settings
        var object: JSONObject = [
            "chat": .string(name.text), "title": .string(settings.title), "open": .bool(settings.isOpen),
            "posting": .string(settings.posting.rawValue), "history": .string(settings.history.rawValue),
            "pace": .integer(settings.pace), "members": .integer(room.members),
            "created": .string(room.created.text),
        ]
        object["role"] = role.map { .string($0.rawValue) }
        return object
    }
}

extension RoomsCommand: AnsweredCommand {
    package var work: CommandWork { .read(ListRooms(self)) }
}

extension RoomMembersCommand: AnsweredCommand {
    package var work: CommandWork { .read(ListRoomMembers(self)) }
}
