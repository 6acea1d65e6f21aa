import ClientProtocol
import Execution
import JSON
import Model
import Store

/// The messages that a report keeps: the reported one with those around it, as they are when the report comes, with the
/// newest texts of the reported one that edits have replaced and a deletion has taken. The copy has a bound on its bytes:
/// those who edit a message a thousand times can still be judged.
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
        var copy = BoundedCopy(of: chat.id, in: transaction)
        // The nearer to the reported one, the more it says.
        for message in ([reported] + before + after).sorted(by: { abs($0.n - n) < abs($1.n - n) }) {
            try copy.add(message)
        }
        try copy.addPast(of: n)
        return copy.json
    }
}

/// Messages with a bound on their bytes. Texts without a place are counted in `omitted`.
///
/// - Confinement: store
private struct BoundedCopy {
    private let chat: Int64
    private let transaction: Transaction
    private var forms: [MessageNumber: JSONObject] = [:]
    /// How many texts of a message are kept and not copied.
    private var omitted: [MessageNumber: Int64] = [:]
    /// For texts.
    private var bytesLeft =
        ModerationLimits.reportedBytesMax - (2 * ModerationLimits.reportedAroundMax + 1) * Self.formBytes
    /// More than a message takes without its texts.
    private static let formBytes = 512

    init(of chat: Int64, in transaction: Transaction) {
        self.chat = chat
        self.transaction = transaction
    }

    var json: JSONValue {
        .array(
            forms.sorted { $0.key < $1.key }.map { n, form in
                var form = form
                if let count = omitted[n], count > 0 { form["omitted"] = .integer(count) }
                return .object(form)
            })
    }

    /// Adds a message as it is now; without its text when there is no room for it.
    mutating func add(_ message: MessageEntry) throws {
        guard let from = try transaction.users.name(of: message.author) else {
            throw StoredValueProblem(place: "messages.author")
        }
        var form: JSONObject = [
            "n": .integer(message.n), "from": .string(from.text), "at": .string(message.at.text),
        ]
        form["replyTo"] = message.replyTo.map { .integer($0) }
        form["editedAt"] = message.editedAt.map { .string($0.text) }
        form["deletedAt"] = message.deletedAt.map { .string($0.text) }
        omitted[message.n] = message.revision > 1 ? try transaction.messages.pastCount(of: message.n, in: chat) : 0
        let texts = try Self.texts(message.text, message.product)
        if takes(texts) {
            for member in texts.members { form[member.name] = member.value }
        } else {
            omitted[message.n, default: 0] += 1
        }
        forms[message.n] = form
    }

    /// Adds the earlier texts of a message, the newest first while there is room.
    mutating func addPast(of n: MessageNumber) throws {
        guard let count = omitted[n], count > 0 else { return }
        let newest = try transaction.messages.past(of: n, in: chat, newest: ModerationLimits.reportedPastMax)
        var copied: [JSONValue] = []
        for earlier in newest.reversed() {
            var form = try Self.texts(earlier.text, earlier.product)
            form["rev"] = .integer(earlier.revision)
            form["until"] = .string(earlier.at.text)
            guard takes(form) else { break }
            copied.append(.object(form))
        }
        guard !copied.isEmpty else { return }
        forms[n]?["past"] = .array(copied.reversed())
        omitted[n] = count - Int64(copied.count)
    }

    /// Whether there is room for texts; it is taken.
    private mutating func takes(_ texts: JSONObject) -> Bool {
        // With a comma.
        let bytes = JSONValue.object(texts).text.utf8.count + 1
        guard bytes <= bytesLeft else { return false }
        bytesLeft -= bytes
        return true
    }

    private static func texts(_ text: String?, _ product: String?) throws -> JSONObject {
        var form = JSONObject()
        form["text"] = text.map { .string($0) }
        form["product"] = try product.map { .object(try StoredJSON.object($0, place: "messages.product")) }
        return form
    }
}
