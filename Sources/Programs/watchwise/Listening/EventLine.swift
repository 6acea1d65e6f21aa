import ClientProtocol
import Console
import JSON
import Model
import Session

/// An event in one line for people. All that others have written is made printable.
enum EventLine {
    private static let textMax = 200

    /// The event's type and what it says; an event of an unknown type is shown as JSON.
    static func of(_ event: ClientEvent) -> String {
        let type = event.type.printable
        return type + String(repeating: " ", count: max(1, 22 - type.count)) + detail(event)
    }

    private static func detail(_ event: ClientEvent) -> String {
        let body = event.body
        func says(_ name: String) -> String { body.shown(name).cut(to: textMax) }
        let message = says("chat") + " " + says("n")
        switch event.name {
        case .message: return "\(message)  \(says("from")): \(content(of: body))"
        case .messageEdited: return "\(message)  \(says("from")) edited: \(content(of: body))"
        case .messageDeleted:
            let by = says("user")
            return "\(message)  deleted" + (by.isEmpty ? "" : " by \(by)") + bracketed(says("reason"))
        case .reaction:
            return "\(message)  \(says("user")) \(isOn(body) ? "reacts with" : "takes back") \(says("emoji"))"
        case .read: return "\(says("chat"))  \(says("user")) has read up to \(says("n"))"
        case .delivered: return "\(says("chat"))  \(says("user")) has received up to \(says("n"))"
        case .chatRenamed: return "\(says("chat")) is now \(says("to"))"
        case .archived: return "\(says("chat"))  \(isOn(body) ? "archived" : "not archived any more")"
        case .room:
            let people = body["users"]?.arrayValue?.compactMap(\.stringValue).joined(separator: ", ").printable
            return "\(says("chat"))  \(says("by")): \(says("change")) \((people ?? says("user")).cut(to: textMax))"
        case .roomInvited: return "\(says("chat"))  \(says("by")) invites into \(says("title"))"
        case .roomUninvited: return says("chat") + bracketed(says("reason"))
        case .notification, .notificationEdited: return notification(body)
        case .notificationSeen:
            let ids = body["ids"]?.arrayValue?.compactMap { $0.stringValue ?? $0.text }.joined(separator: ", ")
            return ids?.printable.cut(to: textMax) ?? "all up to \(says("upTo"))"
        case .notificationRemoved: return says("id") + bracketed(says("reason"))
        case .followed, .unfollowed: return says("topic")
        case .blocked, .unblocked: return says("user")
        case .preferences: return says("preferences")
        case .document: return document(body)
        case .documents: return body.text.printable.cut(to: textMax)
        case .unread: return UnreadCounts(reading: body).map(unread) ?? body.text.printable
        case .typing: return "\(says("chat"))  \(says("user")) \(isOn(body) ? "is typing" : "stopped")"
        case .presence: return "\(says("user")) is \(body["online"]?.boolValue == true ? "online" : "offline")"
        case .unwatched: return says("path") + bracketed(says("reason"))
        case .live, .reset, .expiring, .drain, .bye, .beat, nil: return body.text.printable.cut(to: textMax)
        }
    }

    /// `2 unread in chats, 1 notification`
    static func unread(_ counts: UnreadCounts) -> String {
        "\(counts.chats.grouped) unread in chats, " + counts.notifications.counted("notification", "notifications")
    }

    /// A text, or a recommended product with its note.
    private static func content(of message: JSONValue) -> String {
        let text = message.shown("text").cut(to: textMax)
        guard let product = message["product"] else { return text }
        let title = product.shown("title")
        let id = product.shown("id")
        let named = title.isEmpty ? id : "\(title) (\(id))"
        return "recommends \(named)" + (text.isEmpty ? "" : ": \(text)")
    }

    private static func notification(_ body: JSONValue) -> String {
        let title = body.shown("title").cut(to: textMax)
        let text = body.shown("body").cut(to: textMax)
        return (text.isEmpty ? title : "\(title) | \(text)") + bracketed(body.shown("level"))
    }

    private static func document(_ body: JSONValue) -> String {
        guard let data = body["data"], !data.isNull else { return "\(body.shown("path"))  removed" }
        return "\(body.shown("path"))  version \(body.shown("version"))  \(data.text.printable.cut(to: textMax))"
    }

    private static func isOn(_ body: JSONValue) -> Bool { body["on"]?.boolValue != false }
    private static func bracketed(_ text: String) -> String { text.isEmpty ? "" : "  [\(text)]" }
}
