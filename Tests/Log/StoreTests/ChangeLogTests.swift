import Model
import Store
import StoreTestSupport
import TestSupport
import Testing

/// The log entries that every user may read, kept in the simplest way.
private struct LogModel {
    struct Entry {
        let position: Int64
        let stream: StreamID
        let second: StreamID?
    }

    var entries: [Entry] = []
    /// The position since which a user is known.
    var users: [StreamID: Int64] = [:]
    /// Positions between a follow and its end, for each of a user's topics.
    var follows: [StreamID: [StreamID: [Range<Int64>]]] = [:]

    func isFollowing(_ user: StreamID, _ stream: StreamID) -> Bool {
        follows[user]?[stream]?.last?.upperBound == .max
    }

    func positions(of user: StreamID, after position: Int64) -> [Int64] {
        entries.filter { entry in
            guard entry.position > position else { return false }
            if entry.stream == user || entry.second == user { return true }
            if entry.stream == .everyone { return entry.position > users[user, default: 0] }
            return follows[user]?[entry.stream]?.contains { $0.contains(entry.position) } ?? false
        }.map(\.position)
    }
}

struct ChangeLogTests {
    @Test func `an entry is its bytes, or its notification, also when that is removed`() throws {
        let store = try TestStore()
        let positions = try store.write { transaction in
            let first = try transaction.append(Array("{}".utf8), to: StreamID(stored: 9))
            let entry = notification(at: transaction.nextPosition, in: StreamID(stored: 9))
            _ = try transaction.notifications.insert(entry)
            return (first, try transaction.append(entry, payload: .same([]), isFollowed: false))
        }
        try store.read { transaction in
            guard case .event("{}") = try transaction.log.entry(at: positions.0).content,
                case .notification(let found) = try transaction.log.entry(at: positions.1).content
            else { throw Missing(what: "entries") }
            #expect(found.position == positions.1)
        }
        try store.write { try $0.notifications.remove(positions.1, reason: "replaced", at: $0.head) }
        guard case .notification = try store.read({ try $0.log.entry(at: positions.1).content }) else {
            throw Missing(what: "notification")
        }
        #expect(throws: StoredValueProblem.self) { try store.read { try $0.log.entry(at: Position(3)) } }
    }

    @Test func `a fresh log retains everything`() throws {
        let store = try TestStore()
        #expect(try store.read { try $0.retention.from() } == .zero)
    }

    @Test func `a message of a pair is read by both, and by nobody else`() throws {
        let store = try TestStore()
        let (alice, bob, carol) = (try store.user("alice"), try store.user("bob"), try store.user("carol"))
        try store.write { try $0.append(event($0.nextPosition), to: alice, and: bob) }
        let found = try [alice, bob, carol].map { id in
            let user = try store.entry(id)
            return try store.read { try $0.log.positions(of: user, after: .zero, limit: 10) }
        }
        #expect(found == [[Position(1)], [Position(1)], []])
    }

    @Test(arguments: 1...6)
    func `positions are the merge of inbox, pair, followed topics and everyone`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let store = try TestStore()
        var model = LogModel()
        let topics = try store.write { transaction in
            try (1...5).map { try transaction.streams.findOrMake(try topic("person:\($0)")) }
        }
        for step in 1...250 {
            try store.write { try Self.change($0, &model, topics, step, &random) }
            guard let (id, _) = model.users.randomElement(using: &random) else { continue }
            let after = Int64.random(in: 0...store.writer.head.value, using: &random)
            let limit = Int.random(in: 1...40, using: &random)
            let user = try store.entry(id)
            let found = try store.read { try $0.log.positions(of: user, after: Position(after), limit: limit) }
            guard found.map(\.value) == Array(model.positions(of: id, after: after).prefix(limit)) else {
                Issue.record("seed \(seed), step \(step): behind \(after) at most \(limit): \(found)")
                return
            }
        }
        for id in model.users.keys { try Self.page(store, model, id, &random) }
    }

    private static func change(
        _ transaction: WriteTransaction,
        _ model: inout LogModel,
        _ topics: [StreamID],
        _ step: Int,
        _ random: inout SeededRandom
    ) throws {
        let topic = topics[Int.random(in: 0..<topics.count, using: &random)]
        let users = model.users.keys.sorted()
        let action = users.count < 2 ? 0 : Int.random(in: 0..<12, using: &random)
        guard action > 0 else {
            let id = try transaction.users.findOrMake(try userID("u\(step)"), at: transaction.head)
            model.users[id] = transaction.head.value
            return
        }
        let user = users[Int.random(in: 0..<users.count, using: &random)]
        let other = users[Int.random(in: 0..<users.count, using: &random)]
        switch action {
        case 1, 2:
            let second = user == other ? nil : other
            let position = try transaction.append(event(transaction.nextPosition), to: user, and: second)
            model.entries.append(LogModel.Entry(position: position.value, stream: user, second: second))
        case 3, 4, 5, 6:
            let stream = action == 3 ? .everyone : topic
            let position = try transaction.append(event(transaction.nextPosition), to: stream, isFollowed: true)
            model.entries.append(LogModel.Entry(position: position.value, stream: stream, second: nil))
        case 7: _ = try transaction.appendSilently()
        case 8:
            guard model.isFollowing(user, topic), let begun = model.follows[user]?[topic]?.popLast() else { return }
            let until = try transaction.append(event(transaction.nextPosition), to: user)
            model.entries.append(LogModel.Entry(position: until.value, stream: user, second: nil))
            try transaction.follows.end(follower: user, stream: topic, at: until)
            model.follows[user]?[topic]?.append(begun.lowerBound..<until.value)
        default:
            guard !model.isFollowing(user, topic) else { return }
            let since = try transaction.append(event(transaction.nextPosition), to: user)
            model.entries.append(LogModel.Entry(position: since.value, stream: user, second: nil))
            try transaction.follows.insert(follower: user, stream: topic, since: since)
            model.follows[user, default: [:]][topic, default: []].append(since.value + 1..<Int64.max)
        }
    }

    /// Reads page by page, of any length, which must give the same as one read.
    private static func page(
        _ store: TestStore,
        _ model: LogModel,
        _ id: StreamID,
        _ random: inout SeededRandom
    ) throws {
        let user = try store.entry(id)
        var paged: [Position] = []
        while true {
            let limit = Int.random(in: 1...9, using: &random)
            let page = try store.read { transaction in
                try transaction.log.positions(of: user, after: paged.last ?? .zero, limit: limit)
            }
            paged += page
            if page.count < limit { break }
        }
        #expect(paged.map(\.value) == model.positions(of: id, after: 0))
    }
}
