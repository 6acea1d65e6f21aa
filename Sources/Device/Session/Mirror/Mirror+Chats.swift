package import JSON

/// The events and pages of chats.
extension Mirror {
    func changes(of chat: String, by event: JSONValue, _ type: String, in rows: KnownRows) -> [StoreChange] {
        let conversation = rows[.chats, chat]
        let n = event["n"]?.integerValue ?? 0
        let message = rows[.messages, chat, n]
        let event = event.objectValue ?? [:]
        switch type {
        case "message": return takeMessage(event, conversation, message)
        case "message.edited": return takeEdit(event, conversation, message)
        case "message.deleted": return takeDeletion(event, conversation, message)
        case "reaction": return takeReaction(event, conversation, message)
        case "read": return takeRead(event, conversation, rows.messages[chat] ?? [])
        case "delivered":
            guard let conversation, event.string("user") != user, conversation.integer("delivered") < n else {
                return []
            }
            return [.put(.chats, conversation.with(["delivered": .integer(n)]))]
        case "archived":
            return conversation.map { [.put(.chats, $0.with(["archived": event["on"] ?? false]))] } ?? []
        case "room": return takeRoom(event, conversation)
        case "chat.renamed": return takeRenaming(event, conversation)
        default: return []
        }
    }

    // MARK: Pages

    /// The row of a chat of the reply to `chats`; the messages that are known of it stay.
    package static func chatRow(_ listed: JSONObject, before: JSONObject?, asOf: Int64) -> JSONObject {
        let last = listed["last"]?.objectValue
        let number = last?.integer("n") ?? 0
        let gaps = MessageGaps(before).missing(before: number, top: before?.integer("top") ?? 0)
        return listed.with([
            "delivered": before?["delivered"] ?? 0, "top": .integer(max(number, before?.integer("top") ?? 0)),
            "gaps": gaps.json, "seq": last?["seq"] ?? before?["seq"] ?? 0, "asOf": .integer(asOf),
        ])
    }

    /// The row of a message of `history`, `chats` or an event.
    package static func messageRow(_ message: JSONObject, asOf: Int64) -> JSONObject {
        message.without("type").with(["rev": message["rev"] ?? 1, "asOf": .integer(asOf)])
    }

    /// The bounds of a page of `history` as it was asked for, and the `next` of the answer.
    /// - Confinement: any
    package struct HistoryPage: Sendable, Equatable {
        package var before: Int64?
        package var after: Int64?
        package var hasNext: Bool

        package init(before: Int64? = nil, after: Int64? = nil, hasNext: Bool) {
            self.before = before
            self.after = after
            self.hasNext = hasNext
        }
    }

    /// The changes of a page of `history`: its messages, and the gap that it fills.
    /// - Parameter asOf: The position of the last event before the reply.
    package static func changes(
        of conversation: JSONObject, byHistory messages: [JSONObject], _ page: HistoryPage, asOf: Int64
    ) -> [StoreChange] {
        let numbers = messages.map { $0.integer("n") }
        let greatest = max(conversation.integer("top"), numbers.max() ?? 0)
        let first = page.after.map { $0 + 1 } ?? (page.hasNext ? numbers.min() ?? .max : 1)
        let last = page.before.map { $0 - 1 } ?? (page.after != nil && page.hasNext ? numbers.max() ?? 0 : greatest)
        let gaps = MessageGaps(conversation).filled(first, last)
        return messages.map { .put(.messages, messageRow($0, asOf: asOf)) } + [
            .put(.chats, conversation.with(["gaps": gaps.json, "top": .integer(greatest)]))
        ]
    }

    // MARK: Events

    private func emptyChat(_ chat: String) -> JSONObject {
        var row: JSONObject = ["chat": .string(chat)]
        if !chat.hasPrefix("room:"), let other = ChatAddress.other(in: chat, than: user) {
            row["with"] = .string(other)
        }
        return row.with([
            "unread": 0, "read": 0, "peerRead": 0, "muted": false, "archived": false, "delivered": 0, "top": 0,
            "gaps": [], "seq": 0,
        ])
    }

    private func takeMessage(_ event: JSONObject, _ conversation: JSONObject?, _ known: JSONObject?) -> [StoreChange] {
        let (n, seq) = (event.integer("n"), event.integer("seq"))
        // Without `rev` nobody has changed it, and all changes are still to come.
        let row = Self.messageRow(event, asOf: event["rev"] == nil ? seq : max(seq, head))
        let before = conversation ?? emptyChat(event.string("chat") ?? "")
        let top = before.integer("top")
        let gaps = MessageGaps(before)
        var after = before.with([
            "gaps": (n > top ? gaps.missing(before: n, top: top) : gaps.filled(n, n)).json,
            "top": .integer(max(top, n)),
        ])
        if seq > before.integer("asOf") {
            let isUnread = event.string("from") != user && n > before.integer("read") && !event.isTrue("deleted")
            after["unread"] = .integer(before.integer("unread") + (isUnread ? 1 : 0))
            after["archived"] = false
            if n >= before["last"]?["n"]?.integerValue ?? 0 {
                after["last"] = .object(row)
                after["seq"] = .integer(seq)
            }
        }
        let isNews = known.map { row.integer("rev") >= $0.integer("rev") } ?? true
        return (isNews ? [.put(.messages, row)] : []) + [.put(.chats, after)]
    }

    /// A message that is known as a row, or only as the last one of its chat.
    private struct Found {
        var message: JSONObject
        let isOnlyLast: Bool

        init?(_ message: JSONObject?, _ conversation: JSONObject?, _ n: Int64) {
            if let message {
                (self.message, isOnlyLast) = (message, false)
            } else if let last = conversation?["last"]?.objectValue, last.integer("n") == n {
                (self.message, isOnlyLast) = (last, true)
            } else {
                return nil
            }
        }
    }

    private func put(_ changed: JSONObject, _ found: Found, _ conversation: JSONObject?) -> [StoreChange] {
        var changes: [StoreChange] = found.isOnlyLast ? [] : [.put(.messages, changed)]
        if let conversation, conversation["last"]?["n"] == changed["n"] {
            changes.append(.put(.chats, conversation.with(["last": .object(changed)])))
        }
        return changes
    }

    private func takeEdit(_ event: JSONObject, _ conversation: JSONObject?, _ message: JSONObject?) -> [StoreChange] {
        // A device that was away gets every edit, but only the newest with its text.
        guard event["text"] != nil || event["product"] != nil,
            message?.integer("rev") ?? 0 < event.integer("rev"),
            let found = Found(message, conversation, event.integer("n"))
        else { return [] }
        var changed = found.message
        for name in ["text", "product", "rev", "editedAt"] { changed[name] = event[name] }
        return put(changed, found, conversation)
    }

    private func takeDeletion(_ event: JSONObject, _ conversation: JSONObject?, _ message: JSONObject?)
        -> [StoreChange]
    {
        let (n, rev) = (event.integer("n"), event.integer("rev"))
        guard let found = Found(message, conversation, n) else { return [] }
        let wasDeleted = found.message.isTrue("deleted")
        if wasDeleted, found.message.integer("rev") >= rev { return [] }
        var after = conversation
        var wasUnread = false
        if let conversation {
            wasUnread =
                !wasDeleted && found.message.string("from") != user && n > conversation.integer("read")
                && event.integer("seq") > conversation.integer("asOf")
            if wasUnread { after?["unread"] = .integer(max(0, conversation.integer("unread") - 1)) }
        }
        let changed = found.message.without("text", "product", "replyTo", "reactions")
            .with(["deleted": true, "rev": .integer(rev)])
        let changes = put(changed, found, after)
        guard wasUnread, let after, after["last"]?["n"]?.integerValue != n else { return changes }
        return changes + [.put(.chats, after)]
    }

    private func takeReaction(_ event: JSONObject, _ conversation: JSONObject?, _ message: JSONObject?)
        -> [StoreChange]
    {
        guard let found = Found(message, conversation, event.integer("n")), !found.message.isTrue("deleted"),
            event.integer("seq") > found.message.integer("asOf")
        else { return [] }
        let reactions = Reactions(found.message["reactions"]).changed(
            event.string("emoji") ?? "", on: event.isTrue("on"), isMine: event.string("user") == user,
            count: event["count"]?.integerValue)
        return put(found.message.with(["reactions": reactions.json]), found, conversation)
    }

    private func takeRead(_ event: JSONObject, _ conversation: JSONObject?, _ later: [JSONObject]) -> [StoreChange] {
        let n = event.integer("n")
        guard let conversation, event.integer("seq") > conversation.integer("asOf") else { return [] }
        guard event.string("user") == user else {
            guard conversation["with"] != nil, conversation.integer("peerRead") < n else { return [] }
            return [.put(.chats, conversation.with(["peerRead": .integer(n)]))]
        }
        guard conversation.integer("read") < n else { return [] }
        // Exact where all messages after it are here; else no more than there can be.
        let rest = max(0, conversation.integer("top") - n)
        let unread =
            later.count == rest
            ? Int64(later.count { $0.string("from") != user && !$0.isTrue("deleted") })
            : min(conversation.integer("unread"), rest)
        return [.put(.chats, conversation.with(["read": .integer(n), "unread": .integer(unread)]))]
    }

    private func takeRoom(_ event: JSONObject, _ conversation: JSONObject?) -> [StoreChange] {
        let chat = event.string("chat") ?? ""
        let isAboutMe =
            event.string("user") == user || event["users"]?.arrayValue?.contains(.string(user)) ?? false
        if isAboutMe, ["left", "removed"].contains(event.string("change")) {
            return [.delete(RowKey(.chats, chat)), .deleteMessages(chat: chat, below: nil)]
        }
        let before = conversation ?? emptyChat(chat)
        let room = event["room"]?.objectValue ?? [:]
        let after = before.with(room).with([
            // That of the event is the role of the people whom it concerns.
            "role": (isAboutMe ? room["role"] : nil) ?? before["role"] ?? "member",
            "seq": .integer(max(before.integer("seq"), event.integer("seq"))),
        ])
        return [.put(.chats, after)]
    }

    private func takeRenaming(_ event: JSONObject, _ conversation: JSONObject?) -> [StoreChange] {
        let (chat, name) = (event.string("chat") ?? "", event.string("to") ?? "")
        guard var conversation, chat != name else { return [] }
        conversation["chat"] = .string(name)
        conversation["with"] = ChatAddress.other(in: name, than: user).map { .string($0) }
        return [
            .delete(RowKey(.chats, chat)), .moveMessages(from: chat, to: name), .put(.chats, conversation),
        ]
    }
}
