import ClientProtocol
import Execution
import JSON
import Model
import Store
import Triggering

/// A message that a member of its chat is about to change.
///
/// - Confinement: store (the writer's thread)
struct MessageChange {
    let context: WriteContext
    let user: (id: StreamID, name: UserID)
    let place: MemberChat
    let message: MessageEntry

    /// - Throws: `Refusal`: as ``ConversationRights/memberChat(_:of:_:)``, and `not-found` when the chat has no such
    ///   message.
    init(of n: MessageNumber, in name: ChatID, _ context: WriteContext) throws {
        self.context = context
        user = try context.user()
        let rights = ConversationRights(transaction: context.transaction.reading)
        place = try rights.memberChat(name, of: user.id, user.name)
        message = try rights.message(n, in: place)
    }

    var chat: ChatEntry { place.chat }

    var rights: ConversationRights { ConversationRights(transaction: context.transaction.reading) }

    /// The refusal of whatever is done to a deleted message.
    var deleted: Refusal { Refusal(.notFound, "message \(message.n) was deleted", field: "n") }

    /// Appends the event of the change.
    func append(_ event: EncodedEvent) throws -> Position {
        try Chats(in: context).append(event, in: place, changing: message)
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
