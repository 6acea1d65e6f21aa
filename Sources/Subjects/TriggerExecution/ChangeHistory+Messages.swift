import Execution
import JSON
import Model
import Store
import Triggers

// Messages as the triggers saw them. A message that was changed since is shown as it is now: nobody gets an earlier text,
// and of a deleted message only that it was there.
extension ChangeHistory {
    /// A message was sent, as its event says.
    func sent(_ event: JSONObject, at position: Position) -> [PastChange] {
        guard let message = PastMessageEvent(event) else { return [] }
        return changes(of: message, at: position, by: message.from) { (nil, $0) }
    }

    /// A message was sent that was changed since; none when it was deleted.
    func sent(_ n: MessageNumber, in stream: StreamID) throws -> [PastChange] {
        guard case .chat(let id) = stream.kind, let chat = try transaction.chats.find(number: id),
            let message = try transaction.messages.find(n, in: id), message.deletedAt == nil,
            let found = try PastMessageEvent(message, in: chat.name, transaction)
        else { return [] }
        return changes(of: found, at: message.position, by: found.from) { (nil, $0) }
    }

    /// A message was edited. The text before is not known, and neither is the text after, when another edit came later.
    func edited(_ event: JSONObject, at position: Position) -> [PastChange] {
        guard let after = PastMessageEvent(event) else { return [] }
        let at = event["editedAt"]?.stringValue.flatMap { Timestamp($0) }
        return changes(of: after, at: position, time: at, by: after.from, as: "edit") { document in
            var before = document
            for name in ["text", "note"] { before[name] = .none }
            return (before, document)
        }
    }

    /// A message was deleted.
    func deleted(_ event: JSONObject, at position: Position) throws -> [PastChange] {
        guard let name = event["chat"]?.stringValue.flatMap(ChatID.init), let n = event["n"]?.integerValue,
            let chat = try transaction.chats.find(name),
            let message = try transaction.messages.find(n, in: chat.id),
            let found = try PastMessageEvent(message, in: name, transaction)
        else { return [] }
        let by = event["user"]?.stringValue.flatMap(UserID.init(stored:))
        return changes(of: found, at: position, time: message.deletedAt, by: by, as: "delete") { ($0, nil) }
    }

    private func changes(
        of message: PastMessageEvent, at position: Position, time: Timestamp? = nil, by user: UserID?,
        as command: String? = nil, _ documents: (JSONValue) -> (before: JSONValue?, after: JSONValue?)
    ) -> [PastChange] {
        message.documents.map { path, document in
            let (before, after) = documents(document)
            return PastChange(
                position: position,
                change: DocumentChange(
                    path: path, event: before == nil ? .create : after == nil ? .delete : .update, before: before,
                    after: after),
                at: time ?? message.at,
                by: user.map { "user \($0.text)" } ?? "the moderators",
                command: command ?? (message.product == nil ? "send" : "recommend"))
        }
    }
}

/// A message as its event in the log shows it, or as it is now.
///
/// - Confinement: any
private struct PastMessageEvent {
    let chat: ChatID
    let n: MessageNumber
    let from: UserID
    let at: Timestamp
    let text: String?
    let product: JSONObject?
    let replyTo: MessageNumber?

    init?(_ event: JSONObject) {
        guard let chat = event["chat"]?.stringValue.flatMap(ChatID.init), let n = event["n"]?.integerValue,
            let from = event["from"]?.stringValue.flatMap(UserID.init(stored:)),
            let at = event["at"]?.stringValue.flatMap({ Timestamp($0) })
        else { return nil }
        self.chat = chat
        self.n = n
        self.from = from
        self.at = at
        text = event["text"]?.stringValue
        product = event["product"]?.objectValue
        replyTo = event["replyTo"]?.integerValue
    }

    init?(_ message: MessageEntry, in chat: ChatID, _ transaction: Transaction) throws {
        guard let from = try transaction.users.name(of: message.author) else { return nil }
        self.chat = chat
        n = message.n
        self.from = from
        at = message.at
        text = message.text
        product = try message.product.map { try StoredJSON.object($0, place: "messages.product") }
        replyTo = message.replyTo
    }

    /// The documents that the message is, with their paths.
    var documents: [(path: DocumentPath, document: JSONValue)] {
        var documents: [(path: DocumentPath, document: JSONValue)] = []
        if let path = StandingDocuments.messagePath(chat: chat, n: n) {
            let document = StandingDocuments.message(
                chat: chat, n: n, from: from, at: at, text: text, product: product, replyTo: replyTo)
            documents.append((path, document))
        }
        if let product, let to = chat.other(than: from),
            let path = StandingDocuments.recommendationPath(chat: chat, n: n)
        {
            let document = StandingDocuments.recommendation(
                from: from, to: to, product: product, note: text, seen: false)
            documents.append((path, document))
        }
        return documents
    }
}
