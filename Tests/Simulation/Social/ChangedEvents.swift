import ClientProtocol
import JSON
import Model

/// The differences between an event as a device got it and as the log has it now: messages are given as they are now,
/// and an erased person has a pseudonym.
extension Ledger {
    /// The text without the names of erased people and their pseudonyms.
    func plain(_ text: String) -> String {
        var plain = text
        for erasure in social.erasures {
            plain = plain.replacing(erasure.user.text, with: "*")
            if let pseudonym = erasure.pseudonym { plain = plain.replacing(pseudonym, with: "*") }
        }
        // A chat of two guests stands in the order of their names.
        for guest in World.guests { plain = plain.replacing("\(guest.text):*", with: "*:\(guest.text)") }
        return plain
    }

    func plain(_ value: JSONValue) -> String { plain(value.text) }

    /// Whether a device's event is what the log has now, apart from later changes.
    func isSame(_ own: Device.Event, as now: Device.Event) -> Bool {
        guard own != now else { return true }
        guard own.name == now.name else { return false }
        if !social.erasures.isEmpty {
            if plain(own.body) == plain(now.body) { return true }
            // It named somebody who is erased: it is taken back, and has no words any more.
            if own.name == .notification, now.body["title"] == "", now.body["data"] == [:] { return true }
        }
        guard own.name == .message || own.name == .messageEdited else { return false }
        let isChanged = now.body["deleted"] == true || now.rev > own.rev || now.name == .messageEdited
        let words = isChanged ? ["text", "product", "replyTo"] : []
        let isTextGone = now.body["text"] == nil
        if own.name == .messageEdited, !isTextGone { return false }
        // The key of somebody who is erased goes with the text.
        let key = isTextGone && !social.erasures.isEmpty ? ["key"] : []
        return plain(own.body.without(words + key)) == plain(now.body.without(words + key))
    }
}

extension JSONValue {
    /// A message without what may have changed since.
    func without(_ names: [String] = []) -> JSONValue {
        var value = self
        for name in ["rev", "editedAt", "deleted", "reactions"] + names { value[name] = nil }
        return value
    }
}

extension Device.Event {
    /// The number of the form that a message has.
    fileprivate var rev: Int64 { body["rev"]?.integerValue ?? 1 }
    /// The chat of a change, a message or a mark.
    var chat: String? { body["chat"]?.stringValue }
    /// The room that it is an event of; nil for all others.
    var room: String? {
        switch name {
        case .room, .message, .messageEdited, .messageDeleted, .reaction, .read, .delivered:
            chat.flatMap { $0.hasPrefix("room:") ? $0 : nil }
        default: nil
        }
    }
    /// The people whom a change of a room concerns.
    var people: [String] {
        body["user"]?.stringValue.map { [$0] } ?? body["users"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
}
