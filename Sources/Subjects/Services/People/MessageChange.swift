import ClientProtocol
package import Execution
import JSON
package import Model
package import Store
import TriggerExecution

/// A message that a member of its chat is about to change.
///
/// - Confinement: store (the writer's thread)
package struct MessageChange {
    let context: WriteContext
    let user: (id: StreamID, name: UserID)
    let chat: ChatEntry
    package let message: MessageEntry
    /// Both members of a pair; empty in a room.
    let members: [MemberEntry]
    /// Nil in a pair.
    private let room: RoomEntry?
    /// The chat as the user sees it; nil when a moderator of the server makes the change.
    private let place: MemberChat?

    /// - Throws: `Refusal`: as ``ConversationRights/memberChat(_:of:_:)``, and `not-found` when the chat has no such
    ///   message.
    init(of n: MessageNumber, in name: ChatID, _ context: WriteContext) throws {
        self.context = context
        user = try context.user()
        let rights = ConversationRights(transaction: context.transaction.reading)
        let place = try rights.memberChat(name, of: user.id, user.name)
        message = try rights.message(n, in: place)
        (chat, members, room) = (place.chat, place.members, place.standing?.room)
        self.place = place
    }

    /// A message that the moderators of the server are about to change: its author stands for the user.
    ///
    /// - Throws: `Refusal` (`not-found`) when there is no such message.
    package init(byModeratorOf n: MessageNumber, in name: ChatID, _ context: WriteContext) throws {
        let transaction = context.transaction
        guard let chat = try transaction.chats.find(name), let message = try transaction.messages.find(n, in: chat.id)
        else { throw Refusal(.notFound, "there is no such message", field: "n") }
        guard let author = try transaction.users.name(of: message.author) else {
            throw StoredValueProblem(place: "messages.author")
        }
        self.context = context
        self.chat = chat
        self.message = message
        user = (message.author, author)
        members = try chat.isRoom ? [] : transaction.chats.members(of: chat.id)
        room = try chat.isRoom ? transaction.rooms.find(chat.id) : nil
        place = nil
    }

    /// Whether the user may delete the message: its author, and a room's moderators.
    var mayDelete: Bool { message.author == user.id || place?.standing?.isModerator == true }

    /// The change brings the other members something new.
    ///
    /// - Throws: `Refusal`: `forbidden` when the user is muted, `blocked` when one of a pair blocks the other.
    func reachOthers() throws {
        try context.reachOthers()
        guard let place else { return }
        let rights = ConversationRights(transaction: context.transaction.reading)
        try rights.checkMayWrite(in: place, at: context.now)
        try rights.checkBlock(in: place, field: "chat")
    }

    /// The refusal of whatever is done to a deleted message.
    var deleted: Refusal { Refusal(.notFound, "message \(message.n) was deleted", field: "n") }

    /// Appends the event of the change.
    package func append(_ event: EncodedEvent) throws -> Position {
        try Chats(in: context).append(event, in: chat, members: members, room: room, changing: message)
    }

    /// The paths of the documents that the message is.
    var paths: [DocumentPath] {
        let recommendation =
            message.product == nil ? nil : StandingDocuments.recommendationPath(chat: chat.name, n: message.n)
        return [StandingDocuments.messagePath(chat: chat.name, n: message.n), recommendation].compactMap { $0 }
    }

    /// The documents that the message is, by their paths.
    ///
    /// - Parameter text: in place of the message's.
    func document(at path: DocumentPath, text: String?) throws -> JSONValue {
        let from = try author
        let product = try message.product.map { try StoredJSON.object($0, place: "messages.product") }
        guard StandingDocuments.message(at: path)?.isRecommendation == true, let product,
            let to = chat.name.other(than: from)
        else {
            return StandingDocuments.message(
                chat: chat.name, n: message.n, from: from, at: message.at, text: text, product: product,
                replyTo: message.replyTo)
        }
        return StandingDocuments.recommendation(
            from: from, to: to, product: product, note: text, seen: message.seen ?? false)
    }

    var author: UserID {
        get throws {
            guard let name = try context.transaction.users.name(of: message.author) else {
                throw StoredValueProblem(place: "messages.author")
            }
            return name
        }
    }
}
