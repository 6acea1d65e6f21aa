import ClientProtocol
import Execution
import Model
import Notifying
import Store

extension RoomWork {
    /// The next step with a person who is wanted in the room.
    private enum Step {
        case bringIn
        case ask
        /// The person was asked already.
        case wait
        case leaveOut
    }

    /// Brings the people of a list that know the user into the room, and invites the others. From now on the server knows
    /// them; those beyond the number of new names for a day are left out.
    ///
    /// - Parameter made: the position of the event of the room's making, if that is a part of the same command.
    /// - Throws: `Refusal`: `forbidden` when somebody is kept out by a ban, `not-found` for an erased person, `too-many` when
    ///   the room has no place for all.
    func bring(_ names: [UserID], made: Position? = nil, key: WriteKey?) throws -> RoomAnswer {
        var answer = RoomAnswer(position: made ?? transaction.head)
        var notifier = Notifier(in: context)
        var (newcomers, strangers): ([(id: StreamID, name: UserID)], [(id: StreamID, name: UserID)]) = ([], [])
        let follows = try transaction.streams.find(Topic(user: user.name))?.id
        for name in names {
            // The erasure takes the person out of rooms, and nobody brings them in again.
            guard try !transaction.isErased(name, at: context.now) else { throw Refusal.noUser(name, field: "members") }
            guard let id = try withinLimit({ try notifier.inbox(ofNamed: name, field: "members") }) else {
                answer.leftOut.append(name)
                continue
            }
            guard try transaction.rooms.member(id, of: chat.id) == nil else {
                answer.members.append(name)
                continue
            }
            guard try !transaction.rooms.isBanned(id, from: chat.id, at: context.now) else {
                throw Self.forbidden("\(name.text) is kept out of this room", field: "members")
            }
            switch try step(with: (id, name), follows: follows) {
            case .bringIn: newcomers.append((id, name))
            case .ask: strangers.append((id, name))
            case .wait: answer.invited.append(name)
            case .leaveOut: answer.leftOut.append(name)
            }
        }
        if !newcomers.isEmpty {
            answer.position = try add(newcomers, isWilling: false, key: key)
            answer.members += newcomers.map(\.name)
        }
        if let position = try invite(strangers, &answer), newcomers.isEmpty, made == nil { answer.position = position }
        return answer
    }

    /// - Parameter follows: the stream of those who follow the user; nil when nobody ever has.
    private func step(with person: (id: StreamID, name: UserID), follows: StreamID?) throws -> Step {
        guard try !transaction.blocks.stands(between: user.id, and: person.id),
            let entry = try transaction.users.find(person.id), entry.rooms < RoomLimits.roomsMax
        else { return .leaveOut }
        let preference = InvitePreference(stored: entry.preferences)
        guard preference != .nobody else { return .leaveOut }
        let found = try transaction.invitations.find(person.id, in: chat.id)
        if let found, found.inviter == nil {
            return Invitations(in: context).isRecent(found) ? .leaveOut : .ask
        }
        if try knows(person, follows: follows) { return .bringIn }
        if preference == .all { return try countFirstContact() ? .bringIn : .leaveOut }
        if let found, Invitations(in: context).isRecent(found) { return .wait }
        return .ask
    }

    /// Whether a person follows the user, or has written to the user.
    private func knows(_ person: (id: StreamID, name: UserID), follows: StreamID?) throws -> Bool {
        if let follows, try transaction.follows.since(follower: person.id, stream: follows) != nil { return true }
        guard let name = ChatID(between: user.name, and: person.name), let pair = try transaction.chats.find(name)
        else {
            return false
        }
        return try transaction.messages.hasWritten(person.id, in: pair.id, newest: RoomLimits.acquaintanceMessages)
    }

    // MARK: Asking

    /// Each is a first contact; those beyond a limit are left out.
    ///
    /// - Returns: the position of the last event; nil without any.
    private func invite(
        _ people: [(id: StreamID, name: UserID)], _ answer: inout RoomAnswer
    ) throws -> Position? {
        guard !people.isEmpty, let room = try transaction.rooms.find(chat.id) else { return nil }
        var last: Position?
        let since = Invitations.expired(at: context.now)
        var own = try transaction.invitations.count(by: user.id, since: since)
        var places = Int64(RoomLimits.membersMax) - room.members
        places -= try transaction.invitations.count(in: chat.id, since: since)
        guard people.count <= places else {
            throw Refusal(
                .tooMany, "a room has at most \(RoomLimits.membersMax) members and invited people", field: "members")
        }
        for person in people {
            guard own < RoomLimits.invitedMax else {
                answer.leftOut.append(person.name)
                continue
            }
            try transaction.invitations.deleteExpired(of: person.id, upTo: since)
            guard
                try transaction.invitations.count(of: person.id, since: since) < RoomLimits.invitationsMax,
                try transaction.invitations.count(of: person.id, by: user.id, since: since)
                    < RoomLimits.invitationsOfOneMax,
                try countFirstContact()
            else {
                answer.leftOut.append(person.name)
                continue
            }
            own += 1
            try transaction.invitations.put(
                InvitationEntry(chat: chat.id, user: person.id, inviter: user.id, at: context.now))
            let body = InvitationBody(chat: chat.name, title: room.settings.title, by: user.name, at: context.now)
            answer.invited.append(person.name)
            last = try transaction.append(Event.roomInvited(seq: transaction.nextPosition, body), to: person.id)
        }
        return last
    }

    private func countFirstContact() throws -> Bool {
        try withinLimit { try context.count(.firstContact) } != nil
    }

    /// Nil when the user has reached a limit of the day: a person more is left out, and the others are not.
    private func withinLimit<Value>(_ body: () throws -> Value) throws -> Value? {
        do {
            return try body()
        } catch let refusal as Refusal where refusal.code == .rateLimited {
            return nil
        }
    }
}
