package import ClientProtocol
package import Execution
package import Model
import Notifying
package import Store

/// A room that somebody is about to change.
///
/// - Confinement: store (the writer's thread)
package struct RoomWork {
    let context: WriteContext
    let user: (id: StreamID, name: UserID)
    let chat: ChatEntry

    var transaction: WriteTransaction { context.transaction }
    /// The answer when everything is as the command wants it, at the newest position.
    var unchanged: RoomAnswer { RoomAnswer(position: transaction.head) }

    package init(_ chat: ChatEntry, by user: (id: StreamID, name: UserID), _ context: WriteContext) {
        self.context = context
        self.user = user
        self.chat = chat
    }

    /// The room of a member.
    ///
    /// - Throws: `Refusal` (`forbidden`) for a room of others, whether or not it exists.
    static func ofMember(_ name: ChatID, _ context: WriteContext) throws -> (work: RoomWork, standing: RoomStanding) {
        let user = try context.user()
        let place = try ConversationRights(transaction: context.transaction.reading)
            .memberChat(name, of: user.id, user.name)
        guard let standing = place.standing else { throw ConversationRights.foreignChat }
        return (RoomWork(place.chat, by: user, context), standing)
    }

    /// The member of a name; the role must be a lesser one than this.
    ///
    /// - Throws: `Refusal`: `not-found` for nobody of the room, `forbidden` for everybody else.
    func member(_ name: UserID, below role: RoomRole) throws -> RoomMemberEntry {
        guard role >= .moderator else { throw Self.forbidden("only owners and moderators do this") }
        guard let member = try member(name) else { throw notMember(name) }
        guard member.role < role else {
            throw Refusal(.forbidden, "\(name.text) is \(member.role.rawValue) of this room", field: "user")
        }
        return member
    }

    /// - Throws: `Refusal` (`not-found`) while the person is being erased, and so taken out of the room.
    func member(_ name: UserID) throws -> RoomMemberEntry? {
        try transaction.checkErasure(of: name, field: "user")
        return try transaction.users.number(of: name).flatMap { try transaction.rooms.member($0, of: chat.id) }
    }

    func notMember(_ name: UserID) -> Refusal {
        Refusal(.notFound, "\(name.text) is not a member of this room", field: "user")
    }

    static func forbidden(_ message: String, field: String = "chat") -> Refusal {
        Refusal(.forbidden, message, field: field)
    }

    /// Appends the event of a change that was made, with the room as it is now.
    func append(_ change: RoomChange) throws -> Position {
        guard let room = try transaction.rooms.find(chat.id) else { throw StoredValueProblem(place: "rooms") }
        let event = Event.room(
            seq: transaction.nextPosition, chat: chat.name, change, room.settings, members: room.members,
            at: context.now)
        let position = try transaction.append(event, room: chat.id)
        try transaction.chats.setLastEvent(at: position, in: chat.id)
        return position
    }

    // MARK: Members

    /// Adds people and appends the event, which is the first that they get.
    ///
    /// - Parameter isWilling: whether they come by themselves, and nobody brings them in.
    func add(
        _ people: [(id: StreamID, name: UserID)], as role: RoomRole = .member, _ kind: RoomChange.Kind = .joined,
        isWilling: Bool, key: WriteKey?
    ) throws -> Position {
        let count = Int(try transaction.rooms.find(chat.id)?.members ?? 0) + people.count
        guard count <= RoomLimits.membersMax else {
            throw Refusal(
                .tooMany, "a room has at most \(RoomLimits.membersMax) members", field: "members")
        }
        for person in people {
            guard let rooms = try transaction.users.find(person.id)?.rooms, rooms < RoomLimits.roomsMax else {
                throw Refusal(.tooMany, "\(person.name.text) is in \(RoomLimits.roomsMax) rooms", field: "members")
            }
        }
        try takeInvitations(of: people)
        // The newest message may still be in the writer's memory.
        let chat = try transaction.chats.find(chat.name) ?? chat
        try transaction.rooms.add(
            people.map(\.id), to: chat, as: role, isWilling: isWilling, since: transaction.head, now: context.now)
        for person in people {
            transaction.note(.subscription(user: person.id, stream: StreamID(chat: chat.id), isOn: true))
        }
        return try append(RoomChange(kind, of: people.map(\.name), by: user.name, role: role, key: key))
    }

    /// Invitations, and every no, are done with: the people are members now.
    private func takeInvitations(of people: [(id: StreamID, name: UserID)]) throws {
        guard try transaction.invitations.concern(chat.id) else { return }
        for person in people {
            guard let found = try transaction.invitations.find(person.id, in: chat.id) else { continue }
            try Invitations(in: context).end(found, .accepted)
        }
    }

    /// Takes a member out, whose last event this is. The room gets another owner if somebody in it is there by their own
    /// will, and a room without members takes its invitations back. The mute and the pace hold for the next membership as well.
    ///
    /// - Parameter isForgotten: whether the person does not come back.
    package func remove(_ member: RoomMemberEntry, _ change: RoomChange, isForgotten: Bool = false) throws -> Position {
        if chat.last > 0 {
            try PushQueue(in: context).takeBack(messages: 1...chat.last, of: chat, from: member.user)
        }
        if !isForgotten { try transaction.rooms.keepRestraint(of: member, in: chat.id, at: context.now) }
        try transaction.rooms.remove(member, from: chat.id, until: transaction.nextPosition)
        let position = try append(change)
        let room = StreamID(chat: chat.id)
        transaction.note(.roomRead(users: [member.user], room: room, asOf: position))
        transaction.note(.subscription(user: member.user, stream: room, isOn: false))
        if try transaction.rooms.find(chat.id)?.members == 0 { try Invitations(in: context).withdraw(from: chat.id) }
        guard member.role == .owner, try transaction.rooms.countOwners(of: chat.id) == 0,
            let heir = try transaction.rooms.successor(in: chat.id),
            let name = try transaction.users.name(of: heir)
        else { return position }
        try transaction.rooms.setRole(.owner, of: heir, in: chat.id)
        _ = try append(RoomChange(.role, of: [name], by: change.by, role: .owner))
        return position
    }
}
