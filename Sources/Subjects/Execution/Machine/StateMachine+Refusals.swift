package import ClientProtocol
import JSON
import Model
package import Store

// A write with a key has one outcome: one that was refused for good is refused for good, on every node, for as long as the key is
// kept. A copy of it that is still on its way is not done after its client has read the refusal.
extension StateMachine {
    /// Keeps the refusal of a write with its key, when what the write has written is undone.
    ///
    /// Not kept are: refusals after which a client repeats the write, those of an earlier outcome of the same key, and those of
    /// erased people, of whom nothing is kept.
    ///
    /// - Throws: the database's error.
    package func keep(_ refusal: Refusal, of request: WriteRequest, in transaction: WriteTransaction) throws {
        guard refusal.code.errorClass == .permanent, refusal.code != .keyReused, let key = request.useCase.key else {
            return
        }
        switch request.actor {
        case .server: return
        case .user(let id, _, _): if try transaction.erasures.isErased(id) { return }
        case .administrator: break
        }
        let (user, storedKey) = keyOwner(of: request.actor, key: key)
        guard try transaction.keys.find(storedKey, of: user) == nil else { return }
        var fingerprint = Fingerprint()
        request.useCase.addContent(to: &fingerprint)
        try transaction.keys.insertRefused(
            storedKey, of: user, fingerprint: fingerprint.value, code: refusal.keptJSON, at: request.at)
    }
}

extension Refusal {
    static let keyReused = Refusal(
        .keyReused, "this key was already used for a write with other content; every write needs a key of its own",
        field: "key")

    /// The code alone: sentences and fields may name people, who can be erased.
    fileprivate var keptJSON: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("code", code.rawValue)
        writer.endObject()
        return writer.fittedBytes
    }

    /// - Parameter reply: of a refused key.
    /// - Throws: when it is not what ``StateMachine/keep(_:of:in:)`` writes.
    init(kept reply: String) throws {
        // Databases hold the reply and nothing beside it, so this is read from there.
        let code = try JSONValue(parsing: Array(reply.utf8))["code"]?.stringValue.flatMap(ErrorCode.init(rawValue:))
        guard let code else { throw StoredValueProblem(place: "keys.reply") }
        self.init(
            code, "this write was refused before, and its key keeps that outcome; with a new key it is decided again")
    }
}
