package import JSON
import Model

/// The rules by which events and fetched pages change the rows of a device's store: rows in, changes out.
/// `Tests/SessionVectors` holds its runs, which the library in JavaScript plays, too.
/// - Confinement: any
package struct Mirror: Sendable {
    let user: String
    /// The position of the log at `hello` while missed events come, else 0: they bring messages as they are now, with the
    /// reactions up to there.
    let head: Int64

    package init(user: String, head: Int64 = 0) {
        self.user = user
        self.head = head
    }

    /// The rows that ``changes(by:in:)`` looks at.
    package static func needs(of event: JSONValue) -> [RowNeed] {
        let chat = event["chat"]?.stringValue ?? ""
        switch event["type"]?.stringValue {
        case "message", "message.edited", "message.deleted", "reaction":
            return [
                .row(RowKey(.chats, chat)), .row(RowKey(.messages, chat, n: event["n"]?.integerValue ?? 0)),
            ]
        case "read":
            return [.row(RowKey(.chats, chat)), .messages(chat: chat, after: event["n"]?.integerValue ?? 0)]
        case "archived", "delivered", "room": return [.row(RowKey(.chats, chat))]
        case "room.invited", "room.uninvited": return [.row(RowKey(.meta, "invitations"))]
        case "chat.renamed":
            return [.row(RowKey(.chats, chat)), .row(RowKey(.chats, event["to"]?.stringValue ?? ""))]
        case "notification.seen":
            guard let ids = event["ids"]?.arrayValue else { return [.row(RowKey(.meta, "seenUpTo"))] }
            return ids.compactMap(\.stringValue).map { .row(RowKey(.inbox, $0)) }
        case "notification.edited": return [.row(RowKey(.inbox, event["id"]?.stringValue ?? ""))]
        case "document": return [.row(RowKey(.documents, event["path"]?.stringValue ?? ""))]
        default: return []
        }
    }

    /// The changes that an event makes.
    package func changes(by event: JSONValue, in rows: KnownRows) -> [StoreChange] {
        guard let type = event["type"]?.stringValue else { return [] }
        if type == "room.invited" || type == "room.uninvited" { return takeInvitation(event, type, in: rows) }
        if let chat = event["chat"]?.stringValue { return changes(of: chat, by: event, type, in: rows) }
        switch type {
        case "followed": return [.put(.topics, ["topic": event["topic"] ?? .null])]
        case "unfollowed": return [.delete(RowKey(.topics, event["topic"]?.stringValue ?? ""))]
        case "preferences": return [.note("preferences", event["preferences"] ?? [:])]
        case "unread":
            let counts: JSONValue = [
                "chats": event["chats"] ?? 0, "notifications": event["notifications"] ?? 0,
            ]
            return [.note("unread", counts)]
        case "notification":
            // One without a place in the log is of the moment, and in no inbox.
            guard event["seq"] != nil, var row = event.objectValue else { return [] }
            row["type"] = nil
            row["seen"] = false
            return [.put(.inbox, row)]
        case "notification.seen": return markSeen(event, in: rows)
        case "notification.edited":
            guard let known = rows[.inbox, event["id"]?.stringValue ?? ""] else { return [] }
            let words = ["title", "body", "data"].map { ($0, event[$0] ?? .null) }
            return [.put(.inbox, known.with(JSONObject(words)))]
        case "notification.removed": return [.delete(RowKey(.inbox, event["id"]?.stringValue ?? ""))]
        case "document": return takeDocument(event, in: rows)
        default: return []
        }
    }

    /// The list stands in one row: a person has a hundred invitations at most.
    private func takeInvitation(_ event: JSONValue, _ type: String, in rows: KnownRows) -> [StoreChange] {
        let known = rows[.meta, "invitations"]?["value"]?.arrayValue ?? []
        var invitations = known.filter { $0["chat"] != event["chat"] }
        if type == "room.invited" {
            let members = ["chat", "title", "by", "at", "expires"].map { ($0, event[$0] ?? .null) }
            invitations.append(.object(JSONObject(members)))
        }
        return [.note("invitations", .array(invitations))]
    }

    private func markSeen(_ event: JSONValue, in rows: KnownRows) -> [StoreChange] {
        if let ids = event["ids"]?.arrayValue {
            return ids.compactMap { rows[.inbox, $0.stringValue ?? ""] }.map { row in
                .put(.inbox, row.with(["seen": true]))
            }
        }
        let before = rows[.meta, "seenUpTo"]?["value"]?.integerValue ?? 0
        guard let upTo = event["upTo"]?.integerValue, upTo > before else { return [] }
        return [.note("seenUpTo", .integer(upTo))]
    }

    private func takeDocument(_ event: JSONValue, in rows: KnownRows) -> [StoreChange] {
        let path = event["path"]?.stringValue ?? ""
        let known = rows[.documents, path]?["seq"]?.integerValue ?? 0
        guard known < event["seq"]?.integerValue ?? 0 else { return [] }
        guard let data = event["data"], !data.isNull else { return [.delete(RowKey(.documents, path))] }
        return [.put(.documents, Self.documentRow(event))]
    }

    /// The row of a document as `watch`, `get` and the event show it.
    package static func documentRow(_ document: JSONValue) -> JSONObject {
        let path = document["path"]?.stringValue ?? ""
        return [
            "path": .string(path), "collection": .string(collection(of: path)),
            "version": document["version"] ?? 0, "seq": document["seq"] ?? 0, "data": document["data"] ?? .null,
        ]
    }

    /// The path of the collection that a document is in, as the server reads paths: `products` of `products/movie/603`.
    package static func collection(of path: String) -> String { (try? DocumentPath(path))?.collection ?? "" }
}
