import ClientProtocol
import Execution
package import Model
package import Store

/// Reads the messages of a chat, as they are now, for one reader.
///
/// - Confinement: store
package struct MessageReading {
    let transaction: Transaction
    let chat: ChatEntry
    let reader: StreamID
    private var names: [StreamID: UserID] = [:]

    package init(of chat: ChatEntry, for reader: StreamID, in transaction: Transaction) {
        self.transaction = transaction
        self.chat = chat
        self.reader = reader
    }

    /// Stored messages, with the names of their authors and the reactions to them.
    package mutating func listed(_ messages: ArraySlice<MessageEntry>) throws -> [ListedMessage] {
        let reactions = try reactions(to: messages)
        return try messages.map { message in
            ListedMessage(
                position: message.position, message: try read(message, reactions[message.n] ?? []), seen: message.seen)
        }
    }

    /// The message of a number; nil when there is none.
    package mutating func listed(_ n: MessageNumber) throws -> ListedMessage? {
        guard let message = try transaction.messages.find(n, in: chat.id) else { return nil }
        return try listed([message]).first
    }

    /// The event of a message, at its place in the log, with the message as it is now.
    package mutating func event(of n: MessageNumber) throws -> EncodedEvent {
        guard let listed = try listed(n) else { throw StoredValueProblem(place: "messages, n \(n)") }
        return Event.message(seq: listed.position, listed.message)
    }

    private mutating func read(
        _ message: MessageEntry, _ reactions: [MessageChanges.Reaction]
    ) throws -> ChatMessage {
        var read = try read(message)
        read.changes?.reactions = reactions
        return read
    }

    /// A message without the reactions to it.
    mutating func read(_ message: MessageEntry) throws -> ChatMessage {
        guard let author = try names[message.author] ?? transaction.users.name(of: message.author) else {
            throw StoredValueProblem(place: "messages.author")
        }
        names[message.author] = author
        var read = ChatMessage(
            chat: chat.name,
            n: message.n,
            from: author,
            at: message.at,
            key: message.key,
            text: message.text,
            product: try message.product.flatMap { try StoredJSON.product($0) },
            replyTo: message.replyTo
        )
        read.changes = MessageChanges(
            revision: message.revision, editedAt: message.editedAt, isDeleted: message.deletedAt != nil)
        return read
    }

    /// The reactions to the messages of a page, by their numbers: one question for all, and none where nobody reacted.
    private func reactions(
        to messages: ArraySlice<MessageEntry>
    ) throws -> [MessageNumber: [MessageChanges.Reaction]] {
        let numbers = messages.lazy.filter { $0.reactionCount > 0 }.map(\.n)
        guard let first = numbers.min(), let last = numbers.max() else { return [:] }
        var found: [MessageNumber: [MessageChanges.Reaction]] = [:]
        for reaction in try transaction.reactions.counts(of: chat.id, in: first...last, for: reader) {
            found[reaction.n, default: []].append(
                MessageChanges.Reaction(emoji: reaction.emoji, count: reaction.count, isMine: reaction.isMine))
        }
        return found
    }
}
