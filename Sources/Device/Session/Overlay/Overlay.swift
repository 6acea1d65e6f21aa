package import JSON

/// The content of a list: confirmed rows, then the writes that wait, in their order.
///
/// A refused write has no effect any more, but a message that was refused can be tried again and stays.
/// `Tests/SessionVectors` holds its runs, which the library in JavaScript plays, too.
/// - Confinement: any
package struct Overlay: Sendable {
    let user: String
    /// All entries of the outbox, in their order.
    package let entries: [WriteEntry]

    /// - Parameter entries: of the outbox, in their order.
    package init(user: String, entries: [WriteEntry]) {
        self.user = user
        self.entries = entries
    }

    /// The entries of some types that lists show.
    func showing(_ types: String...) -> [WriteEntry] {
        entries.filter { types.contains($0.type) && $0.state != .failed }
    }

    /// The topics that the user follows, by name; one that waits has `pending`.
    package func topics(_ rows: [JSONObject]) -> [JSONObject] {
        var items = rows
        for entry in showing("follow", "unfollow") {
            let topic = entry.command.string("topic") ?? ""
            let place = items.firstIndex { $0.string("topic") == topic }
            if entry.type == "unfollow" {
                if let place { items.remove(at: place) }
            } else if place == nil {
                items.append(["topic": .string(topic), "pending": entry.pending])
            }
        }
        return items.sorted(by: "topic")
    }

    /// The invitations that wait for an answer; one that was answered here is gone, whether or not the server knows.
    /// - Parameter now: The server's time (RFC 3339, UTC): what has expired is left out. Empty leaves nothing out.
    package func invitations(_ rows: [JSONObject], now: String = "") -> [JSONObject] {
        let answered = Set(showing("room.accept", "room.decline", "room.join").map { $0.command["chat"] ?? .null })
        return rows.filter { row in
            !answered.contains(row["chat"] ?? .null) && row.string("expires") ?? "" > now
        }
    }

    /// The documents of a collection, or the one of a path, by path; changed ones have `pending`.
    package func documents(_ rows: [JSONObject], at path: String, isCollection: Bool) -> [JSONObject] {
        var items = rows
        for entry in showing("put", "patch", "remove") {
            let own = entry.command.string("path") ?? ""
            guard isCollection ? Mirror.collection(of: own) == path : own == path else { continue }
            let place = items.firstIndex { $0.string("path") == own }
            if entry.type == "remove" {
                if let place { items.remove(at: place) }
                continue
            }
            let before = place.map { items[$0] }
            let data = entry.command["data"] ?? .null
            let empty: JSONObject = ["path": .string(own), "version": 0]
            let item = (before ?? empty).with([
                "data": entry.type == "put" ? data : (before?["data"] ?? .null).merged(with: data),
                "pending": entry.pending,
            ])
            if let place { items[place] = item } else { items.append(item) }
        }
        return items.sorted(by: "path")
    }

    /// The preferences.
    package func preferences(_ object: JSONValue) -> JSONValue {
        showing("preferences").reduce(object) { $0.merged(with: $1.command["set"] ?? [:]) }
    }

    /// The notifications of the inbox.
    /// - Parameters:
    ///   - seenUpTo: Everything up to this position was seen.
    ///   - now: The server's time (RFC 3339, UTC): what has expired is left out. Empty leaves nothing out.
    package func inbox(_ rows: [JSONObject], seenUpTo: Int64 = 0, now: String = "") -> [JSONObject] {
        // An archived chat has no ids.
        let away = Set(showing("snooze", "archive").flatMap { $0.command["ids"]?.arrayValue ?? [] })
        let seen = showing("seen").map(\.command)
        return rows.compactMap { row in
            if away.contains(row["id"] ?? .null) { return nil }
            if let expires = row.string("expires"), expires <= now { return nil }
            let isSeen =
                row.isTrue("seen") || row.integer("seq") <= seenUpTo
                || seen.contains { command in
                    row.integer("seq") <= command["upTo"]?.integerValue ?? -1
                        || command["ids"]?.arrayValue?.contains(row["id"] ?? .null) ?? false
                }
            return row.with(["seen": .bool(isSeen)])
        }
    }

    /// The counts: those of the server, `confirmed`, less what waits takes; never more.
    package func unread(_ counts: JSONValue, chats: [JSONObject], inbox: [JSONObject], seenUpTo: Int64) -> JSONValue {
        let nothing = Overlay(user: user, entries: [])
        let unseen = { (items: [JSONObject]) in Int64(items.count { !$0.isTrue("seen") }) }
        let taken = unseen(nothing.inbox(inbox, seenUpTo: seenUpTo)) - unseen(self.inbox(inbox, seenUpTo: seenUpTo))
        let shown = Overlay(user: user, entries: showing("read")).chats(chats)
        let emptied = chats.count { chat in
            chat.integer("unread") > 0 && shown.first { $0["chat"] == chat["chat"] }?.integer("unread") == 0
        }
        let (chats, notifications) = (counts["chats"]?.integerValue ?? 0, counts["notifications"]?.integerValue ?? 0)
        return [
            "chats": .integer(max(0, chats - Int64(emptied))), "notifications": .integer(max(0, notifications - taken)),
            "confirmed": counts,
        ]
    }
}

extension WriteEntry {
    /// Its state as a row shows it.
    var pending: JSONValue { .string(state.rawValue) }
}

extension [JSONObject] {
    /// In the order of a member of theirs.
    fileprivate func sorted(by name: String) -> [JSONObject] {
        sorted { ($0.string(name) ?? "") < ($1.string(name) ?? "") }
    }
}
