package import JSON

/// Chats and their messages.
extension Overlay {
    /// The messages of a chat in the order of their numbers, then those that wait, without a number.
    package func messages(_ rows: [JSONObject], of chat: String) -> [JSONObject] {
        var items = rows
        let writes = showing("edit", "delete", "react").filter { $0.command.string("chat") == chat }
        let wanted = Set(writes.map { $0.command.integer("n") })
        let found = wanted.isEmpty ? [] : items.indices.filter { wanted.contains(items[$0].integer("n")) }
        let places = Dictionary(found.map { (items[$0].integer("n"), $0) }) { first, _ in first }
        for entry in writes {
            guard let place = places[entry.command.integer("n")], !items[place].isTrue("deleted") else { continue }
            items[place]["pending"] = entry.pending
            switch entry.type {
            case "edit": items[place]["text"] = entry.command["text"]
            case "delete": items[place] = items[place].without("text", "product", "reactions").with(["deleted": true])
            default:
                let (emoji, on) = (entry.command.string("emoji") ?? "", entry.command.isTrue("on"))
                items[place]["reactions"] =
                    Reactions(items[place]["reactions"]).changed(emoji, on: on, isMine: true).json
            }
        }
        var waiting = sends(to: chat)
        if waiting.isEmpty { return items }
        // The row may be here before the entry is known to be gone: another process has stored it. An uncertain one waits for the
        // application.
        let here = Set(rows.filter { $0.string("from") == user }.compactMap { $0.string("key") })
        waiting.removeAll { $0.state != .uncertain && here.contains($0.key) }
        return items + waiting.map(message)
    }

    /// The messages of a chat that wait, in their order, also refused ones.
    package func sends(to chat: String) -> [WriteEntry] {
        entries.filter { ["send", "recommend"].contains($0.type) && chatOf($0.command) == chat }
    }

    /// The chats that a waiting message stands in, the one that was written to last first.
    package var writtenChats: [String] {
        var seen: Set<String> = []
        return showing("send", "recommend").reversed().map { chatOf($0.command) }.filter { seen.insert($0).inserted }
    }

    /// The chats: the one that was written to last stands first, while it waits.
    package func chats(_ rows: [JSONObject]) -> [JSONObject] {
        var items: [String: JSONObject] = [:]
        var order: [String] = []
        for row in rows {
            let id = row.string("chat") ?? ""
            items[id] = row
            order.append(id)
        }
        var written: [String] = []
        for entry in showing("read", "archive", "send", "recommend") {
            let id = chatOf(entry.command)
            let item = items[id]
            switch entry.type {
            case "read":
                guard let item else { continue }
                let n = entry.command.integer("n")
                let unread = n >= item.integer("top") ? 0 : min(item.integer("unread"), item.integer("top") - n)
                items[id] = item.with(["unread": .integer(unread), "read": .integer(max(item.integer("read"), n))])
            case "archive": items[id] = item?.with(["archived": entry.command["on"] ?? true])
            default:
                items[id] = (item ?? newChat(id, entry.command))
                    .with(["archived": false, "last": .object(message(entry))])
                if item == nil { order.append(id) }
                written.append(id)
            }
        }
        var shown: Set<String> = []
        return (written.reversed() + order).filter { shown.insert($0).inserted }.compactMap { items[$0] }
    }

    private func newChat(_ id: String, _ command: JSONObject) -> JSONObject {
        var chat: JSONObject = ["chat": .string(id)]
        if !id.hasPrefix("room:"), let other = command.string("to") ?? ChatAddress.other(in: id, than: user) {
            chat["with"] = .string(other)
        }
        return chat.with(["unread": 0])
    }

    /// The chat that a command is about; to a person, that of the two.
    package func chatOf(_ command: JSONObject) -> String {
        command.string("chat") ?? ChatAddress.pair(user, command.string("to") ?? "")
    }

    /// A message that is not sent yet.
    private func message(_ entry: WriteEntry) -> JSONObject {
        let command = entry.command
        var message: JSONObject = [
            "chat": .string(chatOf(command)), "from": .string(user), "key": .string(entry.key),
        ]
        message["text"] = command["text"] ?? command["note"]
        message["product"] = command["product"]
        message["replyTo"] = command["replyTo"]
        message["pending"] = entry.pending
        message["order"] = entry.order.map { .integer($0) } ?? .null
        message["error"] = entry.error
        return message
    }
}
