package import JSON
package import Model
import Services
import Testing
@testable import ClientProtocol

// The commands of rooms by name.
extension House {
    /// Makes a room. Its people follow the owner, so they are members at once.
    ///
    /// - Returns: its id.
    package func room(
        _ owner: String, _ members: [String] = [], isOpen: Bool = false, posting: RoomPosting = .all,
        history: RoomHistory? = nil, key: String? = nil
    ) throws -> String {
        try acquaint(owner, with: members)
        let settings = RoomSettings(title: "Films", isOpen: isOpen, posting: posting, history: history)
        let command = RoomCreateCommand(
            settings: settings, members: try members.map(user), key: try key.map(writeKey) ?? self.key())
        return try #require(try write(CreateRoom(command), by: owner)["chat"]?.stringValue)
    }

    /// Invites people who follow the user, so they are members at once.
    @discardableResult
    package func invite(_ name: String, _ room: String, _ members: [String]) throws -> JSONValue {
        try acquaint(name, with: members)
        return try ask(name, room, members)
    }

    /// Invites people, as they are.
    @discardableResult
    package func ask(_ name: String, _ room: String, _ members: [String]) throws -> JSONValue {
        let command = RoomInviteCommand(chat: try chat(room), members: try members.map(user), key: try key())
        return try write(InviteToRoom(command), by: name)
    }

    @discardableResult
    package func accept(_ name: String, _ room: String) throws -> JSONValue {
        try write(AcceptInvitation(RoomAcceptCommand(chat: try chat(room), key: try key())), by: name)
    }

    @discardableResult
    package func decline(_ name: String, _ room: String) throws -> JSONValue {
        try write(DeclineInvitation(RoomDeclineCommand(chat: try chat(room), key: try key())), by: name)
    }

    /// The rooms into which somebody is invited.
    package func invitations(_ name: String) throws -> [String] {
        let answer = try read(ListInvitations(RoomInvitationsCommand(limit: 200)), by: name)
        return (answer["invitations"]?.arrayValue ?? []).compactMap { $0["chat"]?.stringValue }
    }

    @discardableResult
    package func join(_ name: String, _ room: String) throws -> JSONValue {
        try write(JoinRoom(RoomJoinCommand(chat: try chat(room), key: try key())), by: name)
    }

    @discardableResult
    package func leave(_ name: String, _ room: String) throws -> JSONValue {
        try write(LeaveRoom(RoomLeaveCommand(chat: try chat(room), key: try key())), by: name)
    }

    @discardableResult
    package func remove(
        _ name: String, _ room: String, _ other: String, ban: Bool? = nil, until: Timestamp? = nil
    ) throws -> JSONValue {
        let command = RoomRemoveCommand(
            chat: try chat(room), user: try user(other), ban: ban, until: until, reason: nil, key: try key())
        return try write(RemoveFromRoom(command), by: name)
    }

    @discardableResult
    package func setRole(_ name: String, _ room: String, _ other: String, _ role: RoomRole) throws -> JSONValue {
        let command = RoomRoleCommand(chat: try chat(room), user: try user(other), role: role, key: try key())
        return try write(SetRoomRole(command), by: name)
    }

    @discardableResult
    package func mute(_ name: String, _ room: String, _ other: String, until: Timestamp?) throws -> JSONValue {
        let command = RoomMuteCommand(chat: try chat(room), user: try user(other), until: until, key: try key())
        return try write(MuteInRoom(command), by: name)
    }

    @discardableResult
    package func update(
        _ name: String, _ room: String, title: String? = nil, isOpen: Bool? = nil, posting: RoomPosting? = nil,
        history: RoomHistory? = nil, pace: Int64? = nil
    ) throws -> JSONValue {
        let command = RoomUpdateCommand(
            chat: try chat(room), title: title, isOpen: isOpen, posting: posting, history: history, pace: pace,
            key: try key())
        return try write(UpdateRoom(command), by: name)
    }

    /// The roles of a room's members, as somebody sees them.
    package func roles(_ name: String, _ room: String) throws -> [String: String] {
        let answer = try read(ListRoomMembers(RoomMembersCommand(chat: try chat(room))), by: name)
        let members = answer["members"]?.arrayValue ?? []
        return Dictionary(
            members.map { ($0["user"]?.stringValue ?? "", $0["role"]?.stringValue ?? "") }, uniquingKeysWith: { $1 })
    }

    /// A room as it is in somebody's list of chats.
    package func chatLine(_ name: String, _ room: String) throws -> JSONValue? {
        try chats(name)["chats"]?.arrayValue?.first { $0["chat"] == .string(room) }
    }

    /// The numbers of the messages that exist for somebody.
    package func numbers(_ name: String, _ room: String) throws -> [Int64] {
        (try history(name, room, limit: 200)["messages"]?.arrayValue ?? []).compactMap { $0["n"]?.integerValue }
    }
}
