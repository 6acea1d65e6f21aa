import Foundation
import JSON

@testable import Session
@testable import WatchWise

/// A server as far as lists see it, and an application that writes: what happens is a matter of chance.
@WatchWiseActor
final class ListWorld {
    static let topics = ["person:1", "person:2", "user:bob", "user:carol", "x:1", "x:2"]
    static let paths = (1...7).map { "\(ListWatcher.collection)/\($0)" }

    let watchers: [ListWatcher]
    private var random: JitterSource
    private var seq: Int64 = 0
    private var tops: [String: Int64] = [:]
    private var ids: [String] = []

    /// - Parameter processes: The first one leads.
    init(seed: UInt64, _ processes: [WatchWise]) {
        random = JitterSource(seed: seed)
        watchers = processes.map { [random] ww in
            var random = random
            return ListWatcher(ww, &random)
        }
    }

    private var engine: Engine? { watchers[0].device.engine }
    private func chance(_ part: Double) -> Bool { Double.random(in: 0..<1, using: &random) < part }
    private func pick<Element>(_ list: [Element]) -> Element { list[Int.random(in: 0..<list.count, using: &random)] }
    private func number(_ most: Int64) -> Int64 { Int64.random(in: 1...max(1, most), using: &random) }

    /// Something happens.
    func step() throws {
        switch Double.random(in: 0..<1, using: &random) {
        case ..<0.45:
            // At times many come together, at times all of one kind.
            let kind = chance(0.5) ? number(21) : nil
            for _ in 0..<(chance(0.3) ? number(12) : 1) { receive(event(kind ?? number(21))) }
            engine?.flush()
        case ..<0.7: try write()
        case ..<0.8: decide()
        case ..<0.85: history()
        case ..<0.87: reset()
        case ..<0.9: try trim()
        case ..<0.97:
            let watcher = pick(watchers)
            watcher.device.lists.grow(pick(watcher.lists).window, by: Int(number(3)))
        default: watchers[0].device.engineChanged([.everything])
        }
    }

    /// All lists are what they would be if everything were read again.
    func check(_ name: String) throws {
        for watcher in watchers {
            // Another process looks at what this one has written.
            watcher.device.hint(.online)
            try watcher.check(name)
        }
    }

    // MARK: The server

    private func row(_ members: JSONObject, _ more: JSONObject) -> JSONObject { members.with(more) }

    private func receive(_ event: JSONObject) {
        engine?.settle(.object(event))
        engine?.push(.event(.object(event)))
    }

    private func entry(_ chat: String, _ types: String...) -> WriteEntry? {
        let other = ChatAddress.other(in: chat, than: "alice")
        return engine?.entries.first { entry in
            types.contains(entry.type)
                && (entry.command.string("chat") == chat
                    || entry.command.string("to") == other && !chat.hasPrefix("room:"))
        }
    }

    private func key(of entry: WriteEntry?) -> JSONObject {
        guard let entry, chance(0.7) else { return [:] }
        return ["key": .string(entry.key)]
    }

    /// An event; its key is that of a write that waits, at times.
    private func event(_ kind: Int64) -> JSONObject {
        seq += 1
        let chat = pick(ListWatcher.chats)
        let top = tops[chat] ?? 0
        let other = chat.hasPrefix("room:") ? pick(["bob", "carol"]) : ChatAddress.other(in: chat, than: "alice") ?? ""
        let about: JSONObject = ["seq": .integer(seq), "chat": .string(chat), "n": .integer(number(top))]
        let id: JSONValue = .string(ids.isEmpty ? "n0" : pick(ids))
        switch kind {
        case 1...5: return message(chat, other, top)
        case 6:
            return about.with(["type": "message.edited", "text": .string("e\(seq)"), "rev": .integer(seq)])
                .with(key(of: entry(chat, "edit")))
        case 7:
            return about.with(["type": "message.deleted", "rev": .integer(seq)]).with(key(of: entry(chat, "delete")))
        case 8:
            return about.with([
                "type": "reaction", "emoji": .string(pick(["👍", "❤️"])), "on": .bool(chance(0.7)),
                "user": .string(pick(["alice", "bob"])), "count": .integer(number(3)),
            ])
        case 9:
            let user = pick(["alice", other])
            return about.with(["type": "read", "user": .string(user)]).with(key(of: entry(chat, "read")))
        case 10:
            return chance(0.5)
                ? about.with(["type": "archived", "on": .bool(chance(0.5))])
                : about.with(["type": "delivered", "user": .string(other)])
        case 11: return room()
        case 12, 13: return notification()
        case 14:
            return row(
                ["type": "notification.seen", "seq": .integer(seq)],
                chance(0.5) ? ["ids": [id]] : ["upTo": .integer(max(1, seq - number(20)))])
        case 15:
            return row(
                ["seq": .integer(seq), "id": id],
                chance(0.5)
                    ? ["type": "notification.edited", "title": .string("e\(seq)"), "body": "", "data": [:]]
                    : ["type": "notification.removed"])
        case 16:
            let type = pick(["followed", "unfollowed"])
            return ["type": .string(type), "seq": .integer(seq), "topic": .string(pick(Self.topics))]
        case 17, 18: return document()
        case 19:
            return chance(0.5)
                ? ["type": "preferences", "seq": .integer(seq), "preferences": ["a": .integer(seq)]]
                : ["type": "unread", "chats": .integer(number(4)), "notifications": .integer(number(9))]
        case 20: return invitation()
        default: return renaming()
        }
    }

    private func message(_ chat: String, _ other: String, _ top: Int64) -> JSONObject {
        let waiting = chance(0.5) ? entry(chat, "send") : nil
        let n = top + (chance(0.15) ? number(4) : 1)
        tops[chat] = n
        let isOwn = waiting != nil || chance(0.2)
        return row(
            [
                "type": "message", "seq": .integer(seq), "chat": .string(chat), "n": .integer(n),
                "from": .string(isOwn ? "alice" : other), "text": .string("m\(seq)"),
            ], isOwn ? ["key": .string(waiting?.key ?? "own\(seq)")] : [:])
    }

    private func room() -> JSONObject {
        if chance(0.7) {
            return [
                "type": "room", "seq": .integer(seq), "chat": "room:1", "change": "titled", "user": "bob",
                "room": ["title": .string("t\(seq)"), "role": "member"],
            ]
        }
        tops["room:2"] = 0
        return [
            "type": "room", "seq": .integer(seq), "chat": "room:2", "change": "removed", "user": "alice", "room": [:],
        ]
    }

    private func notification() -> JSONObject {
        ids.append("n\(seq)")
        let event: JSONObject = [
            "type": "notification", "seq": .integer(seq), "id": .string("n\(seq)"), "title": .string("t\(seq)"),
        ]
        guard chance(0.4) else { return event }
        let expires = Date.now.addingTimeInterval(pick([-1, 0.002, 0.005, 100])).formatted(.server)
        return event.with(["expires": .string(expires)])
    }

    private func document() -> JSONObject {
        let path = pick(Self.paths + ["\(ListWatcher.collection)/1/parts/2"])
        let waiting = engine?.entries.first { $0.command.string("path") == path }
        return row(
            [
                "type": "document", "seq": .integer(seq), "path": .string(path), "version": .integer(seq),
                "data": chance(0.3) ? .null : ["a": .integer(seq)],
            ], key(of: waiting))
    }

    private func invitation() -> JSONObject {
        [
            "type": .string(pick(["room.invited", "room.uninvited"])), "seq": .integer(seq),
            "chat": .string(pick(["room:8", "room:9"])), "title": "t", "by": "bob", "at": "t",
            "expires": "2100-01-01T00:00:00.000Z",
        ]
    }

    private func renaming() -> JSONObject {
        var names = ["alice:carol", "alice:dora"]
        if tops[names[1]] ?? 0 > 0 { names.reverse() }
        if tops[names[1]] ?? 0 > 0 { return event(1) }  // it would be another chat
        (tops[names[1]], tops[names[0]]) = (tops[names[0]] ?? 0, 0)
        return ["type": "chat.renamed", "seq": .integer(seq), "chat": .string(names[0]), "to": .string(names[1])]
    }

    private func stored(_ chat: String, _ n: Int64) -> JSONObject {
        row(
            [
                "chat": .string(chat), "n": .integer(n), "seq": .integer(n), "from": .string(pick(["alice", "bob"])),
                "text": .string("h\(n)"), "rev": 1,
            ], chance(0.3) ? ["key": .string("old\(chat)\(n)")] : [:])
    }

    /// A page of a chat, as `history` answers.
    private func history() {
        let chat = pick(ListWatcher.chats)
        let before = number((tops[chat] ?? 0) + 1)
        let first = max(1, before - number(4))
        let messages = (first..<max(first, before)).map { stored(chat, $0) }
        engine?.push(
            .history(
                chat: chat, messages: messages, Mirror.HistoryPage(before: before, hasNext: first > 1), asOf: seq))
        engine?.flush()
    }

    /// The state was fetched again.
    private func reset() {
        var changes: [StoreChange] = [.clear(.chats), .clear(.messages), .clear(.inbox), .clear(.topics)]
        for (chat, top) in tops.sorted(by: { $0.key < $1.key }) where top > 0 && chance(0.8) {
            let last = stored(chat, top).with(["asOf": .integer(seq)])
            changes.append(.put(.messages, last))
            changes.append(
                .put(
                    .chats,
                    [
                        "chat": .string(chat), "unread": 1, "read": 0, "last": .object(last), "top": .integer(top),
                        "gaps": top > 1 ? [[1, .integer(top - 1)]] : [], "seq": .integer(chance(0.5) ? top : 0),
                        "asOf": .integer(seq),
                    ]))
        }
        for id in ids.suffix(5) {
            let place = Int64(id.dropFirst()) ?? 0
            changes.append(
                .put(.inbox, ["id": .string(id), "seq": .integer(place), "title": "t", "seen": .bool(chance(0.5))]))
        }
        for topic in Self.topics where chance(0.5) { changes.append(.put(.topics, ["topic": .string(topic)])) }
        changes.append(.note("seenUpTo", 0))
        engine?.push(.changes(changes))
        engine?.flush()
        if chance(0.5) { watchers[0].device.engineChanged([.everything]) }
    }

    private func trim() throws {
        var trimming = StoreTrimming(at: Date.now)
        (trimming.messagesOpened, trimming.messages) = (number(6), number(3))
        (trimming.inbox, trimming.documentsWithin) = (Int(number(5)), 0)
        _ = try watchers[0].device.store.write { try trimming.trim(&$0) }
    }

    // MARK: The application

    /// The application, a person or the server decides about a write.
    private func decide() {
        guard let entry = engine?.entries.randomElement(using: &random) else { return }
        engine?.outbox.feed { outbox, _ in
            switch number(4) {
            case 1: outbox.discard(entry.key)
            case 2: outbox.retry(entry.key)
            default:
                // A write of an earlier run.
                var other = WriteEntry("x\(seq)-\(number(1_000_000))", entry.command, base: nil, of: "alice")
                other.state = pick([.failed, .uncertain, .sent])
                outbox.added(other)
            }
        }
        watchers[0].device.engineChanged([.outbox])
    }

    /// The application writes, in any process.
    private func write() throws {
        let ww = pick(watchers).ww
        let chat = ww.chat(pick(ListWatcher.chats))
        let n = number((tops[chat.id] ?? 0) + 2)
        let id = ids.isEmpty ? "n0" : pick(ids)
        let document: Document<AnyJSON> = ww.document(pick(Self.paths))
        switch number(16) {
        case 1...3: try chat.send("w\(seq)")
        case 4: try chat.edit(n, "w\(seq)")
        case 5: try chat.delete(n)
        case 6: try chat.react(n, pick(["👍", "❤"]), on: chance(0.7))
        case 7: try chat.read(n)
        case 8: try chat.archive(chance(0.5))
        case 9: try ww.topics.follow(pick(Self.topics))
        case 10: try ww.topics.unfollow(pick(Self.topics))
        case 11: if chance(0.5) { try ww.inbox.seen([id]) } else { try ww.inbox.seen(upTo: number(seq + 1)) }
        case 12: try ww.inbox.archive([id])
        case 13: try document.put(["w": .integer(seq)])
        case 14: try document.patch(["p": .integer(seq)])
        case 15: try document.remove()
        default:
            if chance(0.5) { try ww.preferences.set(["p": .integer(seq)]) } else { try ww.invitations.accept("room:8") }
        }
    }
}
