import Model
import Store
import StoreTestSupport
import TestSupport
import Testing

/// Notifications and who has seen them, counted by looking at each.
private struct NotificationModel {
    struct Row {
        let entry: NotificationEntry
        var isRemoved = false
    }

    var rows: [Row] = []
    var follows: [StreamID: [StreamID: Int64]] = [:]
    var since: [StreamID: Int64] = [:]
    var seenUpTo: [StreamID: Int64] = [:]
    var seen: [StreamID: Set<Int64>] = [:]

    func isReadable(_ entry: NotificationEntry, by user: StreamID) -> Bool {
        if entry.stream == user { return true }
        if entry.stream == .everyone { return entry.position.value > since[user, default: 0] }
        return follows[user]?[entry.stream].map { entry.position.value > $0 } ?? false
    }

    func isSeen(_ entry: NotificationEntry, by user: StreamID) -> Bool {
        entry.position.value <= seenUpTo[user, default: 0] || seen[user, default: []].contains(entry.position.value)
    }

    func live(for user: StreamID) -> [NotificationEntry] {
        rows.filter { !$0.isRemoved && isReadable($0.entry, by: user) }.map(\.entry)
    }

    func unread(_ user: StreamID, isInbox: Bool) -> Int {
        live(for: user).count { ($0.stream == user) == isInbox && !isSeen($0, by: user) }
    }

    func page(of user: StreamID, before: Int64, onlyUnread: Bool, at now: Timestamp, limit: Int) -> [Int64] {
        let found = live(for: user).filter { entry in
            entry.position.value < before && entry.expires.map { $0 > now } ?? true
                && !(onlyUnread && isSeen(entry, by: user))
        }
        return Array(found.map(\.position.value).sorted(by: >).prefix(limit))
    }
}

struct NotificationTableTests {
    @Test func `an id names its position, and nothing else does`() {
        #expect(NotificationEntry.id(of: Position(42)) == "n42")
        #expect(NotificationEntry.position(ofID: "n42") == Position(42))
        for text in ["", "n", "42", "n0", "n-1", "n+1", "n042", "N42", "n42 ", "n99999999999999999999"] {
            #expect(NotificationEntry.position(ofID: text) == nil, "\(text)")
        }
    }

    @Test func `a live notification is found by the path of its document`() throws {
        let store = try TestStore()
        let found = try store.write { transaction in
            let table = transaction.notifications
            for (path, trigger) in [("d/1", "t"), ("d/1", "u"), ("d/2", "t"), (nil, "t")] {
                _ = try table.insert(
                    notification(
                        at: transaction.nextPosition,
                        in: StreamID(stored: 9),
                        trigger: trigger,
                        change: transaction.nextPosition,
                        path: path,
                        silence: .updated
                    )
                )
                _ = try transaction.appendSilently()
            }
            let all = try table.live(from: "d/1")
            let one = try table.live(from: "d/1", by: "u")
            try table.remove(all[0].position, reason: "retracted", at: transaction.head)
            return (all, one, try table.live(from: "d/1"))
        }
        #expect(found.0.map(\.trigger) == ["t", "u"])
        #expect(found.1.map(\.position) == [found.0[1].position])
        #expect(found.2.map(\.position) == [found.0[1].position])
        #expect(found.0.map(\.silence) == [.updated, .updated])
        #expect(found.0.map(\.path) == ["d/1", "d/1"])
    }

    @Test func `a trigger notifies a stream of a change once`() throws {
        let store = try TestStore()
        let inserted = try store.write { transaction in
            let rows: [(String, Int64, Int64)] = [("t", 1, 9), ("t", 1, 9), ("t", 2, 9), ("t", 1, 8), ("u", 1, 9)]
            return try rows.map { trigger, change, stream in
                let isNew = try transaction.notifications.insert(
                    notification(
                        at: transaction.nextPosition,
                        in: StreamID(stored: stream),
                        trigger: trigger,
                        change: Position(change)
                    )
                )
                if isNew { _ = try transaction.appendSilently() }
                return isNew
            }
        }
        #expect(inserted == [true, false, true, true, true])
    }

    @Test func `the newest live notification with a collapse key in the stream is the one to replace`() throws {
        let store = try TestStore()
        try store.write { transaction in
            for (stream, collapse) in [(9, "a"), (9, "a"), (8, "a"), (9, "b")] {
                let entry = notification(
                    at: transaction.nextPosition,
                    in: StreamID(stored: Int64(stream)),
                    collapse: collapse
                )
                _ = try transaction.notifications.insert(entry)
                _ = try transaction.appendSilently()
            }
            let notifications = transaction.notifications
            #expect(try notifications.find(collapse: "a", in: StreamID(stored: 9))?.position == Position(2))
            try notifications.remove(Position(2), reason: "replaced", at: Position(2))
            #expect(try notifications.find(collapse: "a", in: StreamID(stored: 9))?.position == Position(1))
            #expect(try notifications.find(Position(2)) == nil)
            #expect(try notifications.find(collapse: "c", in: StreamID(stored: 9)) == nil)
        }
    }

    @Test(arguments: 1...6)
    func `pages and counts agree with counting by hand`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let store = try TestStore()
        var model = NotificationModel()
        var users: [StreamID] = []
        for number in 1...4 {
            let id = try store.user("u\(number)")
            users.append(id)
            model.since[id] = store.writer.head.value
            model.seenUpTo[id] = store.writer.head.value
            try store.write { try Self.notify($0, .everyone, &model, &random) }
        }
        let topics = try store.write { transaction in
            try (1...4).map { try transaction.streams.findOrMake(try topic("person:\($0)")) }
        }
        for step in 1...300 {
            let user = users[Int.random(in: 0..<users.count, using: &random)]
            let topic = topics[Int.random(in: 0..<topics.count, using: &random)]
            try store.write { try Self.change($0, user, topic, &model, &random) }
            for user in users {
                guard try Self.agree(store, model, user, &random) else {
                    Issue.record("seed \(seed), step \(step), user \(user.value)")
                    return
                }
            }
        }
    }

    private static func notify(
        _ transaction: WriteTransaction,
        _ stream: StreamID,
        _ model: inout NotificationModel,
        _ random: inout SeededRandom
    ) throws {
        let expires: Timestamp? =
            Bool.random(using: &random) ? Timestamp(milliseconds: Int64.random(in: 1...100, using: &random)) : nil
        let entry = notification(at: transaction.nextPosition, in: stream, expires: expires)
        _ = try transaction.notifications.insert(entry)
        try transaction.append(entry, payload: .same([]), isFollowed: !(2...5).contains(stream.value))
        model.rows.append(NotificationModel.Row(entry: entry))
    }

    private static func change(
        _ transaction: WriteTransaction,
        _ user: StreamID,
        _ topic: StreamID,
        _ model: inout NotificationModel,
        _ random: inout SeededRandom
    ) throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: try notify(transaction, user, &model, &random)
        case 2, 3: try notify(transaction, topic, &model, &random)
        case 4: try notify(transaction, .everyone, &model, &random)
        case 5, 6:
            guard model.follows[user]?[topic] == nil else {
                try transaction.follows.end(follower: user, stream: topic, at: transaction.appendSilently())
                model.follows[user]?[topic] = nil
                return
            }
            let since = try transaction.appendSilently()
            try transaction.follows.insert(follower: user, stream: topic, since: since)
            model.follows[user, default: [:]][topic] = since.value
        case 7:
            let position = Int64.random(in: 0...transaction.head.value, using: &random)
            guard position > model.seenUpTo[user, default: 0] else { return }
            try transaction.users.setSeen(upTo: Position(position), unreadInbox: 0, of: user)
            try transaction.notifications.deleteSeen(upTo: Position(position), by: user)
            model.seenUpTo[user] = position
        case 8:
            guard let entry = model.rows.randomElement(using: &random)?.entry else { return }
            try transaction.notifications.setSeen(entry.position, by: user)
            model.seen[user, default: []].insert(entry.position.value)
        default:
            guard let index = model.rows.indices.randomElement(using: &random) else { return }
            try transaction.notifications.remove(
                model.rows[index].entry.position, reason: "retracted", at: transaction.head)
            model.rows[index].isRemoved = true
        }
    }

    private static func agree(
        _ store: TestStore,
        _ model: NotificationModel,
        _ id: StreamID,
        _ random: inout SeededRandom
    ) throws -> Bool {
        let user = try store.entry(id)
        let before = Int64.random(in: 1...(store.writer.head.value + 1), using: &random)
        let now = Timestamp(milliseconds: Int64.random(in: 0...100, using: &random))
        let limit = Int.random(in: 1...30, using: &random)
        let onlyUnread = Bool.random(using: &random)
        let some = (0..<6).compactMap { _ in model.rows.randomElement(using: &random) }
        return try store.read { transaction in
            let notifications = transaction.notifications
            let page = try notifications.page(
                of: user,
                before: Position(before),
                onlyUnread: onlyUnread,
                at: now,
                limit: limit
            )
            let marks = try some.allSatisfy { row in
                try notifications.isSeen(row.entry.position, by: user) == model.isSeen(row.entry, by: id)
                    && notifications.isReadable(row.entry, by: user) == model.isReadable(row.entry, by: id)
            }
            return try marks
                && page.map(\.position.value)
                    == model.page(of: id, before: before, onlyUnread: onlyUnread, at: now, limit: limit)
                && notifications.countUnreadInbox(of: id, after: user.seenUpTo) == model.unread(id, isInbox: true)
                && notifications.countUnreadTopics(of: user) == model.unread(id, isInbox: false)
        }
    }
}
