import ClientProtocol
import Execution
import Model
import Notifying
import PersonalData
import Services
import Store

/// The messages, reactions and marks of an erased person in chats.
///
/// - Confinement: store (the writer's thread)
struct MessageErasure {
    let person: ErasedPerson

    init(_ person: ErasedPerson) { self.person = person }

    private var transaction: WriteTransaction { person.context.transaction }

    /// A place among the messages of the person's chats.
    private struct MessagePlace {
        var chat: Int64
        /// The last message that was looked at; nil when the messages of the chat are done, and the chat itself goes.
        var n: MessageNumber?

        init(chat: Int64, n: MessageNumber?) {
            self.chat = chat
            self.n = n
        }

        init?(_ text: String) {
            let parts = text.split(separator: ":")
            guard parts.count == 2, let chat = Int64(parts[0]) else { return nil }
            self.chat = chat
            n = MessageNumber(parts[1])
        }

        var text: String { "\(chat):\(n.map { "\($0)" } ?? "-")" }
    }

    /// Messages, reactions and read marks, chat by chat.
    func eraseMessages(from place: String) throws -> String? {
        guard let place = MessagePlace(place), let n = place.n else { return try placeAfter(0) }
        guard let chat = try transaction.chats.find(number: place.chat) else { return try placeAfter(place.chat) }
        let found = try transaction.erasures.messages(
            of: person.user, in: chat.id, after: n, limit: ErasureLimits.messagesLookedAt)
        let taken = found.numbers.prefix(ErasureLimits.messages)
        for number in taken { try erase(number, in: chat) }
        let last = found.numbers.count > taken.count ? taken.last : found.last
        guard let last else {
            try eraseMarks(in: chat)
            return try placeAfter(chat.id)
        }
        try eraseReactions(to: n + 1...last, in: chat)
        return MessagePlace(chat: chat.id, n: last).text
    }

    /// The beginning of the next chat; nil after the last one.
    private func placeAfter(_ chat: Int64) throws -> String? {
        try transaction.erasures.chats(of: person.user, after: chat, limit: 1).first
            .map { MessagePlace(chat: $0, n: 0).text }
    }

    private func erase(_ n: MessageNumber, in chat: ChatEntry) throws {
        let change = try MessageChange(byModeratorOf: n, in: chat.name, person.context)
        person.certificate.add(1, "message")
        switch person.mode {
        case .keep:
            // Their words name the person.
            try MessageDeletion(change).withdraw()
        case .redact, .remove:
            if change.message.deletedAt == nil { try MessageDeletion(change).erase() }
            try transaction.erasures.clearKey(of: n, in: chat.id)
        }
    }

    private func eraseReactions(to numbers: ClosedRange<MessageNumber>, in chat: ChatEntry) throws {
        let reactions = try transaction.reactions.all(of: person.user, to: numbers, in: chat.id)
        for reaction in reactions {
            let command = ReactCommand(takingBack: reaction.emoji, from: reaction.n, in: chat.name)
            let change = try MessageChange(byModeratorOf: reaction.n, in: chat.name, person.context)
            try transaction.reactions.delete(reaction.emoji, by: person.user, from: reaction.n, in: chat.id)
            let left = try transaction.reactions.find(
                reaction.emoji, on: reaction.n, in: chat.id, for: person.user)
            _ = try change.append(
                Event.reaction(
                    seq: transaction.nextPosition, command, user: person.name, count: left?.count ?? 0,
                    at: person.context.now))
        }
        person.certificate.add(reactions.count, "reaction")
    }

    /// The read marks go; a room goes on without the person.
    private func eraseMarks(in chat: ChatEntry) throws {
        if chat.isRoom {
            guard let member = try transaction.rooms.member(person.user, of: chat.id) else { return }
            let work = RoomWork(
                try transaction.chats.find(chat.name) ?? chat, by: (person.user, person.name), person.context)
            _ = try work.remove(member, RoomChange(.left, of: [person.name], by: person.name), isForgotten: true)
            return person.certificate.add(1, "room")
        }
        try transaction.chats.setRead(0, unread: 0, of: person.user, in: chat.id)
        try transaction.chats.setDelivered(0, of: person.user, in: chat.id)
        person.certificate.add(1, "read")
    }

    private func isPair(_ chat: Int64) throws -> Bool {
        if case .pair? = try transaction.chats.find(number: chat)?.name { true } else { false }
    }

    /// A chat of two in which nothing is left goes. The index of messages has followed the deletions already.
    ///
    /// - Returns: whether it is gone.
    private func removeChat(_ chat: Int64) throws -> Bool {
        let limit = ErasureLimits.rows
        guard try transaction.erasures.silenceChat(chat, limit: limit) < limit,
            try transaction.erasures.deleteMessages(of: chat, limit: limit) < limit
        else { return false }
        try transaction.chats.delete(chat)
        return true
    }

    /// Earlier texts, which were kept for reports, and which the index of messages needed.
    func erasePast(from place: String) throws -> String? {
        guard person.mode != .keep else { return nil }
        guard let place = MessagePlace(place) else { return try placeAfter(0) }
        guard let n = place.n else {
            return try removeChat(place.chat) ? placeAfter(place.chat) : place.text
        }
        guard let chat = try transaction.chats.find(number: place.chat), n < chat.last else {
            let isEmpty =
                try person.mode == .remove && isPair(place.chat) && !transaction.erasures.hasMessages(in: place.chat)
            return isEmpty ? MessagePlace(chat: place.chat, n: nil).text : try placeAfter(place.chat)
        }
        let last = min(chat.last, n + MessageNumber(ErasureLimits.messagesLookedAt))
        person.certificate.add(
            try transaction.erasures.deletePast(of: person.user, in: chat.id, n + 1...last), "earlier text")
        return MessagePlace(chat: chat.id, n: last).text
    }
}
