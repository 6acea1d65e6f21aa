import ClientProtocol
import Execution
import Model
import Notifying
import PersonalData
import Services
import Store

/// The ties of an erased person to others, and the rows that are the person's alone.
///
/// - Confinement: store (the writer's thread)
struct RelationErasure {
    let person: ErasedPerson

    init(_ person: ErasedPerson) { self.person = person }

    private var transaction: WriteTransaction { person.context.transaction }

    /// Follows, invitations to others, and all rows that are the person's alone. The place is the kind of rows; one of an earlier
    /// version begins again.
    func eraseRelations(from place: String) throws -> String? {
        if place.isEmpty {
            let followed = try transaction.follows.streams(of: person.user).prefix(ErasureLimits.rows)
            for stream in followed {
                try transaction.erasures.deleteFollow(of: stream, by: person.user)
                _ = try transaction.streams.addFollowers(-1, to: stream)
            }
            person.certificate.add(followed.count, "follow")
            guard followed.count < ErasureLimits.rows else { return "" }
            let withdrawn = try Invitations(in: person.context).withdraw(by: person.user, limit: ErasureLimits.events)
            person.certificate.add(withdrawn, "invitation")
            return withdrawn == ErasureLimits.events ? "" : PersonRows.all.first?.id
        }
        let kinds = PersonRows.all
        let index = kinds.firstIndex { $0.id == place } ?? 0
        let deleted = try transaction.erasures.delete(kinds[index], of: person.user, limit: ErasureLimits.rows)
        person.certificate.add(deleted, kinds[index].kind)
        if deleted == ErasureLimits.rows { return place }
        if index + 1 < kinds.count { return kinds[index + 1].id }
        // They stand in the memory of every loop.
        for kind in [Restriction.Kind.ban, .deactivated] { transaction.note(.banLifted(person.name, kind)) }
        return nil
    }

    /// Those who follow the person: their devices get `unfollowed`, as for every follow that ends.
    func eraseFollowers(from place: String) throws -> String? {
        let topic = Topic(user: person.name)
        guard let stream = try transaction.streams.find(topic)?.id else { return nil }
        let followers = try transaction.follows.followers(of: stream, after: .nobody, limit: ErasureLimits.events)
        for follower in followers {
            let event = Event.unfollowed(seq: transaction.nextPosition, topic: topic, key: nil, at: person.context.now)
            let position = try transaction.append(event, to: follower.id)
            let entry = try transaction.reading.storedUser(follower.id)
            try transaction.topicCounts.willUnfollow(stream, entry, at: transaction.head)
            try transaction.follows.end(follower: follower.id, stream: stream, at: position)
            transaction.note(.subscription(user: follower.id, stream: stream, isOn: false))
            person.context.countsChanged(of: follower.id)
            _ = try transaction.streams.addFollowers(-1, to: stream)
        }
        person.certificate.add(followers.count, "followed")
        return followers.isEmpty ? nil : place
    }

    /// The inbox, with its entries in the log.
    func eraseInbox(from place: String) throws -> String? {
        let entries = try transaction.erasures.silenceInbox(of: person.user, limit: ErasureLimits.rows)
        person.certificate.add(entries, "entry")
        guard entries < ErasureLimits.rows else { return place }
        let limit = ErasureLimits.rows / 5
        let notifications = try transaction.traces.deleteNotifications(of: person.user, limit: limit)
        person.certificate.add(notifications, "notification")
        guard notifications < limit else { return place }
        person.certificate.add(try transaction.broadcasts.forgetWords(of: Topic(user: person.name).text), "broadcast")
        return nil
    }

    /// Chats of two get the pseudonym, and then the person does. The place is the last chat.
    func rename(from place: String) throws -> String? {
        let chats = try transaction.erasures.chats(
            of: person.user, after: Int64(place) ?? 0, limit: ErasureLimits.events)
        for number in chats {
            guard let chat = try transaction.chats.find(number: number), let other = chat.name.other(than: person.name),
                let new = ChatID(between: person.pseudonym, and: other)
            else { continue }
            _ = try Chats(in: person.context).append(
                Event.chatRenamed(seq: transaction.nextPosition, chat: chat.name, to: new, at: person.context.now),
                in: chat, members: transaction.chats.members(of: number), room: nil)
            try transaction.chats.rename(number, to: new)
            person.certificate.add(1, "chat")
        }
        if let last = chats.last { return String(last) }
        try transaction.erasures.rename(person.user, to: person.pseudonym, at: transaction.head)
        person.context.watched.forget()
        person.certificate.add(1, "profile")
        return nil
    }
}
