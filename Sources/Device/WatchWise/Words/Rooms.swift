public import Foundation
import JSON
import Session

/// Rooms: chats of more than two people. `ww.chat(id)` writes to one, as to any chat.
///
/// A member who is removed hears it in the event `room`, with the change `removed`; then the list of chats has the room no longer.
@WatchWiseActor
public struct Rooms {
    /// The members who may send.
    /// - Confinement: any
    public enum Posting: String, Sendable, Hashable {
        case all, moderators
    }

    /// How much of it a new member reads.
    /// - Confinement: any
    public enum History: String, Sendable, Hashable {
        /// The messages since the member joined.
        case joined
        case all
    }

    let device: Device

    /// Makes a room. The answer of the write has its id as `chat`; `members`, `invited` and `leftOut` say what became of the people.
    /// - Parameter history: When it is nil: all in an open room, since joining in a closed one.
    @discardableResult
    public func create(
        _ title: String, members: [String] = [], isOpen: Bool? = nil, posting: Posting? = nil, history: History? = nil
    ) throws -> Write {
        let settings = settings(title: title, isOpen: isOpen, posting: posting, history: history)
        return try device.keep("room.create", settings.with(["members": .strings(members)]))
    }

    /// Changes a room; fields that are nil stay.
    /// - Parameter pace: Seconds between two messages of one member; 0 for none.
    @discardableResult
    public func update(
        _ chat: String, title: String? = nil, isOpen: Bool? = nil, posting: Posting? = nil, history: History? = nil,
        pace: Int64? = nil
    ) throws -> Write {
        var fields = settings(title: title, isOpen: isOpen, posting: posting, history: history)
        fields["chat"] = .string(chat)
        fields["pace"] = pace.map { .integer($0) }
        return try device.keep("room.update", fields)
    }

    /// Invites people to a room. Those who follow the user, or have written to the user, are members at once. The answer of the
    /// write says what became of them: `members`, `invited`, `leftOut`.
    @discardableResult
    public func invite(_ members: [String], to chat: String) throws -> Write {
        try device.keep("room.invite", ["chat": .string(chat), "members": .strings(members)])
    }

    /// Joins an open room.
    @discardableResult
    public func join(_ chat: String) throws -> Write { try device.keep("room.join", ["chat": .string(chat)]) }

    /// Leaves a room.
    @discardableResult
    public func leave(_ chat: String) throws -> Write { try device.keep("room.leave", ["chat": .string(chat)]) }

    /// Removes a member.
    @discardableResult
    public func remove(_ user: String, from chat: String) throws -> Write {
        try device.keep("room.remove", ["chat": .string(chat), "user": .string(user)])
    }

    /// Removes a member and keeps the person out, also one who is no member.
    /// - Parameter until: The end of the ban; nil for good.
    @discardableResult
    public func ban(_ user: String, from chat: String, until: Date? = nil, reason: String? = nil) throws -> Write {
        var fields: JSONObject = ["chat": .string(chat), "user": .string(user), "ban": true]
        fields["until"] = until.map { .string($0.formatted(.server)) }
        fields["reason"] = reason.map { .string($0) }
        return try device.keep("room.remove", fields)
    }

    /// Ends a ban.
    @discardableResult
    public func unban(_ user: String, from chat: String) throws -> Write {
        try device.keep("room.remove", ["chat": .string(chat), "user": .string(user), "ban": false])
    }

    /// Gives a member another role.
    @discardableResult
    public func setRole(_ role: RoomMember.Role, of user: String, in chat: String) throws -> Write {
        try device.keep(
            "room.role", ["chat": .string(chat), "user": .string(user), "role": .string(role.rawValue)])
    }

    /// Keeps a member from writing.
    /// - Parameter until: The end of it; with nil the member may write again.
    @discardableResult
    public func mute(_ user: String, in chat: String, until: Date?) throws -> Write {
        var fields: JSONObject = ["chat": .string(chat), "user": .string(user)]
        fields["until"] = until.map { .string($0.formatted(.server)) }
        return try device.keep("room.mute", fields)
    }

    /// A page of the members.
    /// - Parameter after: The `next` of the page before.
    /// - Returns: the members, how many there are in all, and where the next page begins.
    /// - Throws: ``WatchWiseError``.
    public func members(of chat: String, after: String? = nil, limit: Int = 100) async throws -> (
        members: [RoomMember], count: Int64, next: String?
    ) {
        var fields: JSONObject = ["chat": .string(chat), "limit": .integer(Int64(limit))]
        fields["after"] = after.map { .string($0) }
        let answer = try await device.request("room.members", fields)
        return (
            answer.rows("members").compactMap(RoomMember.init), answer["count"]?.integerValue ?? 0,
            answer["next"]?.stringValue
        )
    }

    /// A page of the user's rooms, or of all open ones.
    /// - Parameter after: The `next` of the page before.
    /// - Throws: ``WatchWiseError``.
    public func list(areOpen: Bool = false, after: String? = nil, limit: Int = 50) async throws -> (
        rooms: [Room], next: String?
    ) {
        var fields: JSONObject = ["limit": .integer(Int64(limit))]
        if areOpen { fields["open"] = true }
        fields["after"] = after.map { .string($0) }
        let answer = try await device.request("rooms", fields)
        return (answer.rows("rooms").compactMap(Room.init), answer["next"]?.stringValue)
    }

    private func settings(title: String?, isOpen: Bool?, posting: Posting?, history: History?) -> JSONObject {
        var fields: JSONObject = [:]
        fields["title"] = title.map { .string($0) }
        fields["open"] = isOpen.map { .bool($0) }
        fields["posting"] = posting.map { .string($0.rawValue) }
        fields["history"] = history.map { .string($0.rawValue) }
        return fields
    }
}

/// Invitations into rooms that wait for the user's answer.
@WatchWiseActor
public struct Invitations {
    let device: Device

    /// The invitations, now and after each change.
    public nonisolated func snapshots() -> Snapshots<Invitation> { Snapshots(device, .invitations()) }

    /// A page of the invitations from the server.
    /// - Parameter after: The `next` of the page before.
    /// - Throws: ``WatchWiseError``.
    public func list(after: String? = nil, limit: Int = 50) async throws -> (
        invitations: [Invitation], count: Int64, next: String?
    ) {
        var fields: JSONObject = ["limit": .integer(Int64(limit))]
        fields["after"] = after.map { .string($0) }
        let answer = try await device.request("room.invitations", fields)
        return (
            answer.rows("invitations").compactMap(Invitation.init), answer["count"]?.integerValue ?? 0,
            answer["next"]?.stringValue
        )
    }

    /// Enters the room; the user is a member when the write is done.
    @discardableResult
    public func accept(_ chat: String) throws -> Write { try device.keep("room.accept", ["chat": .string(chat)]) }

    /// Declines. The person who invited hears nothing of it.
    @discardableResult
    public func decline(_ chat: String) throws -> Write { try device.keep("room.decline", ["chat": .string(chat)]) }
}
