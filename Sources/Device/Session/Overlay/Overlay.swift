package import JSON

/// The content of a list: confirmed rows, then the writes that wait, in their order.
///
/// A refused write has no effect any more, but a message that was refused can be tried again and stays.
/// `Tests/SessionVectors` holds its runs, which the library in JavaScript plays, too.
/// - Confinement: any
package struct Overlay: Sendable {
    package let user: String
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
    /// - Parameter end: The last one of a list that goes on in the store: later ones are not shown.
    package func topics(_ rows: [JSONObject], upTo end: String? = nil) -> [JSONObject] {
        let writes = showing("follow", "unfollow")
        if writes.isEmpty { return rows }
        var items = rows
        for entry in writes {
            let topic = entry.command.string("topic") ?? ""
            if let end, Self.isBefore(end, topic) { continue }
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
    /// - Parameter end: The last one of a list that goes on in the store: later ones are not shown.
    package func documents(
        _ rows: [JSONObject], at path: String, isCollection: Bool, upTo end: String? = nil
    ) -> [JSONObject] {
        let writes = showing("put", "patch", "remove")
        if writes.isEmpty { return rows }
        var items = rows
        for entry in writes {
            let own = entry.command.string("path") ?? ""
            guard isCollection ? Mirror.collection(of: own) == path : own == path else { continue }
            if let end, Self.isBefore(end, own) { continue }
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
            return row["seen"] == .bool(isSeen) ? row : row.with(["seen": .bool(isSeen)])
        }
    }

    /// The counts: those of the server, `confirmed`, less what waits takes; never more.
    package func unread(_ counts: JSONValue, chats: [JSONObject], inbox: [JSONObject], seenUpTo: Int64) -> JSONValue {
        let (emptied, taken) = (emptied(chats), takenUnseen(inbox, seenUpTo: seenUpTo))
        let (chats, notifications) = (counts["chats"]?.integerValue ?? 0, counts["notifications"]?.integerValue ?? 0)
        return [
            "chats": .integer(max(0, chats - emptied)), "notifications": .integer(max(0, notifications - taken)),
            "confirmed": counts,
        ]
    }

    /// How many of these chats have something unread that a waiting write reads.
    private func emptied(_ chats: [JSONObject]) -> Int64 {
        let reads = showing("read")
        let touched = Set(reads.compactMap { $0.command.string("chat") })
        if touched.isEmpty { return 0 }
        let unread = chats.filter { $0.integer("unread") > 0 && touched.contains($0.string("chat") ?? "") }
        return Int64(Overlay(user: user, entries: reads).chats(unread).count { $0.integer("unread") == 0 })
    }

    /// How many of these notifications are unseen, and are not any more because of waiting writes.
    private func takenUnseen(_ inbox: [JSONObject], seenUpTo: Int64) -> Int64 {
        if showing("seen", "snooze", "archive").isEmpty { return 0 }
        let unseen = { (items: [JSONObject]) in Int64(items.count { !$0.isTrue("seen") }) }
        let nothing = Overlay(user: user, entries: [])
        return unseen(nothing.inbox(inbox, seenUpTo: seenUpTo)) - unseen(self.inbox(inbox, seenUpTo: seenUpTo))
    }

    /// The order in which lists and stores have names: that of their bytes.
    package static func isBefore(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}

extension WriteEntry {
    /// Its state as a row shows it.
    var pending: JSONValue { .string(state.rawValue) }
}

extension [JSONObject] {
    /// In the order of a member of theirs.
    fileprivate func sorted(by name: String) -> [JSONObject] {
        sorted { Overlay.isBefore($0.string(name) ?? "", $1.string(name) ?? "") }
    }
}
