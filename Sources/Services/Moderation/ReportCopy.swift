import ClientProtocol
import Execution
import JSON
import Model
import Store

/// The messages that a report keeps: the reported one with those around it, as they are when the report comes, with the
/// texts that edits have replaced and a deletion has taken.
///
/// - Confinement: store
enum ReportCopy {
    /// - Parameter user: whom the report is about.
    /// - Throws: `Refusal` unless the reporter may read the chat, and the message is there and is the user's.
    /// - Returns: nil when no message is reported.
    static func make(
        _ command: ReportCommand, of user: StreamID, by reporter: (id: StreamID, name: UserID),
        in transaction: Transaction
    ) throws -> JSONValue? {
        guard let name = command.chat else { return nil }
        let rights = ConversationRights(transaction: transaction)
        let place = try rights.memberChat(name, of: reporter.id, reporter.name)
        guard let n = command.n else { return nil }
        let (chat, messages) = (place.chat, transaction.messages)
        let reported = try rights.message(n, in: place)
        guard reported.author == user else {
            throw Refusal.badRequest(field: "n", "is no message of \(command.user.text)")
        }
        let around = ModerationLimits.reportedAroundMax
        let before = try messages.page(of: chat.id, before: n, from: place.first, limit: around).reversed()
        let after = try messages.page(of: chat.id, after: n, limit: around)
        return .array(try (before + [reported] + after).map { try json($0, in: chat.id, transaction) })
    }

    private static func json(
        _ message: MessageEntry, in chat: Int64, _ transaction: Transaction
    ) throws -> JSONValue {
        guard let from = try transaction.users.name(of: message.author) else {
            throw StoredValueProblem(place: "messages.author")
        }
        var json: JSONObject = [
            "n": .integer(message.n), "from": .string(from.text), "at": .string(message.at.text),
        ]
        try add(message.text, message.product, to: &json)
        json["replyTo"] = message.replyTo.map { .integer($0) }
        json["editedAt"] = message.editedAt.map { .string($0.text) }
        json["deletedAt"] = message.deletedAt.map { .string($0.text) }
        let past = try message.revision > 1 ? transaction.messages.past(of: message.n, in: chat) : []
        guard !past.isEmpty else { return .object(json) }
        json["past"] = .array(
            try past.map { earlier in
                var form: JSONObject = ["rev": .integer(earlier.revision), "until": .string(earlier.at.text)]
                try add(earlier.text, earlier.product, to: &form)
                return .object(form)
            })
        return .object(json)
    }

    private static func add(_ text: String?, _ product: String?, to json: inout JSONObject) throws {
        json["text"] = text.map { .string($0) }
        json["product"] = try product.map { .object(try StoredJSON.object($0, place: "messages.product")) }
    }
}
