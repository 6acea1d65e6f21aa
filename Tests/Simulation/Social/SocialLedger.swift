import Client
import ClientProtocol
import JSON
import Model
import Session
import SimulatedKernel

/// The truth about rooms, changed messages and erased people.
/// - Confinement: the one thread
struct SocialLedger {
    /// The erasure of a guest, over HTTP.
    final class Erasure {
        let user: UserID
        /// The fate of the messages: `redact`, `keep` or `remove`.
        let mode: String
        /// Set when it was answered.
        var id: String?
        var pseudonym: String?

        init(of user: UserID, mode: String) {
            self.user = user
            self.mode = mode
        }
    }

    /// Rooms whose making was answered.
    private(set) var rooms: [String] = []
    /// Erasures that were asked for.
    var erasures: [Erasure] = []
    /// All texts that a message has had, by its chat and number.
    private var texts: [String: [String]] = [:]
    /// When the deletion of a text was acknowledged, by the clock that nobody sets.
    private(set) var gone: [String: Int64] = [:]

    func erasure(of user: UserID) -> Erasure? { erasures.first { $0.user == user } }

    /// Takes note of an acknowledged write.
    mutating func answered(_ write: Ledger.Write, _ body: JSONValue) {
        let fields = write.command.fields
        switch write.command.name {
        case RoomCreateCommand.name:
            if let room = body["chat"]?.stringValue, !rooms.contains(room) { rooms.append(room) }
        case SendCommand.name:
            guard let chat = body["chat"]?.stringValue, let n = body["n"]?.integerValue else { return }
            texts["\(chat) \(n)", default: []].append(fields["text"]?.stringValue ?? "")
        case EditCommand.name:
            guard let place = Self.place(fields) else { return }
            texts[place, default: []].append(fields["text"]?.stringValue ?? "")
        case DeleteCommand.name:
            guard let place = Self.place(fields) else { return }
            for text in texts[place] ?? [] where gone[text] == nil { gone[text] = sim_now() }
        default: break
        }
    }

    /// Takes note that a text must not be read any more.
    mutating func isGone(_ text: String) { if gone[text] == nil { gone[text] = sim_now() } }

    private static func place(_ fields: JSONObject) -> String? {
        guard let chat = fields["chat"]?.stringValue, let n = fields["n"]?.integerValue else { return nil }
        return "\(chat) \(n)"
    }
}

extension Refusal {
    /// Whether it repeats the code of an earlier refusal, which is kept without its field.
    var isKept: Bool { field == nil && message.contains("its key keeps that outcome") }

    /// Whether it is about a field, or repeats an earlier refusal.
    func isOf(_ name: String) -> Bool { field == name || isKept }
}

extension Ledger {
    /// Whether the erasure of a user was asked for.
    func isErased(_ user: UserID) -> Bool { social.erasure(of: user) != nil }

    /// The texts of a user's messages, and those that edits gave them.
    func texts(of user: UserID) -> [String] {
        writes.filter { $0.user == user }.compactMap { $0.command.fields["text"]?.stringValue }
    }

    /// Whether the server may refuse a write for good.
    func mayRefuse(_ write: Write, _ refusal: Refusal) -> Bool {
        if isErased(write.user) { return true }
        switch refusal.code {
        case .forbidden: return true
        case .blocked: return hasBlock(around: write)
        // Something that was there is deleted or gone meanwhile, or a time is over.
        case .notFound, .conflict: return SocialKind.counted.contains(write.command.name) || !social.erasures.isEmpty
        case .badRequest: return refusal.isOf("until")
        default: return false
        }
    }

    /// Whether one of the two people that a write concerns has ever blocked the other.
    private func hasBlock(around write: Write) -> Bool {
        let fields = write.command.fields
        let chat = fields["chat"]?.stringValue.flatMap { ChatID($0) }
        let topic = fields["topic"]?.stringValue.flatMap { Topic($0) }
        guard
            let other = chat?.other(than: write.user) ?? topic?.user
                ?? fields["to"]?.stringValue.flatMap({ UserID($0) })
        else { return false }
        return writes.contains { block in
            guard block.command.name == BlockCommand.name else { return false }
            let target = block.command.fields["user"]?.stringValue
            return block.user == write.user && target == other.text || block.user == other && target == write.user.text
        }
    }
}
