import GRDB
import Model
import StoreTestSupport
import TestSupport
import Testing
@testable import Log
@testable import Store

/// The writer's memory of chats equals the stored rows, and a device that resumes finds the entries of their streams.
struct ChatLogTests {
    /// A chat of alice, as it must be.
    private struct Chat {
        let id: Int64
        let name: ChatID
        let other: StreamID
        var last: Int64 = 0
        var unread: Int64 = 0
        var delivered: Int64 = 0
        var positions: [Int64] = []
    }

    private static func chats(_ store: TestStore, of alice: StreamID, _ count: Int) throws -> [Chat] {
        try (1...count).map { number in
            let other = try store.user("b\(number)")
            guard let name = ChatID("alice:b\(number)") else { throw Missing(what: "chat id") }
            let id = try store.write { try $0.chats.make(name, members: [alice, other]).id }
            return Chat(id: id, name: name, other: other)
        }
    }

    @Test func `a chat never gets the number of one that is gone, since entries of the log have it`() throws {
        let store = try TestStore()
        let alice = try store.user("alice")
        let first = try Self.chats(store, of: alice, 3).map(\.id)
        try store.write { transaction in
            for id in [first[2], first[0]] { try transaction.chats.delete(id) }
        }
        let name = try #require(ChatID("alice:carol"))
        let carol = try store.user("carol")
        let next = try store.write { try $0.chats.make(name, members: [alice, carol]).id }
        #expect(next == first[2] + 1)
    }

    /// The next message of a chat by the other, as the services write it.
    private static func post(_ chat: inout Chat, to alice: StreamID, in transaction: WriteTransaction) throws {
        guard let entry = try transaction.chats.find(chat.name) else { throw Missing(what: "chat") }
        #expect(entry.last == chat.last)
        chat.last += 1
        let position = try transaction.append(
            event(transaction.nextPosition), chat: chat.id, number: chat.last, to: alice, and: chat.other)
        try transaction.messages.insert(
            MessageEntry(
                n: chat.last, position: position, author: chat.other, at: Timestamp(milliseconds: 0), text: "m"),
            in: chat.id
        )
        try transaction.chats.setLast(chat.last, at: position, in: chat.id)
        try transaction.chats.addUnread(to: alice, in: chat.id)
        chat.unread += 1
        chat.positions.append(position.value)
    }

    private static func change(
        _ chat: inout Chat, _ alice: StreamID, _ transaction: WriteTransaction, _ random: inout SeededRandom
    ) throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            let position = try transaction.append(
                event(transaction.nextPosition), chat: chat.id, to: alice, and: chat.other)
            try transaction.chats.setLastEvent(at: position, in: chat.id)
            try transaction.chats.setDelivered(chat.last, of: alice, in: chat.id)
            chat.delivered = chat.last
            chat.positions.append(position.value)
        case 1:
            _ = try transaction.chats.find(chat.name)
            try transaction.chats.setRead(chat.last, unread: 0, of: alice, in: chat.id)
            chat.unread = 0
        default:
            try post(&chat, to: alice, in: transaction)
        }
    }

    @Test(arguments: 1...6)
    func `random batches, some undone, leave what was meant and are resumed in order`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let store = try TestStore()
        let alice = try store.user("alice")
        var chats = try Self.chats(store, of: alice, 4)
        for step in 1...60 {
            let items = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                (chat: Int.random(in: 0..<4, using: &random), fails: Int.random(in: 0..<8, using: &random) == 0)
            }
            let before = (chats, random)
            _ = try store.writer.commit(items) { item, transaction in
                let kept = chats
                do {
                    try Self.change(&chats[item.chat], alice, transaction, &random)
                    if item.fails { throw Failure() }
                } catch {
                    chats = kept
                    throw error
                }
            } refuse: {
                #expect($0 is Failure)
            } revert: {
                (chats, random) = before
            }
            if step == 30 { try Self.makeOld(store) }
        }
        try Self.check(store, chats, alice, &random)
    }

    /// Makes all entries look as if they were from before migration 14.
    private static func makeOld(_ store: TestStore) throws {
        try store.write { transaction in
            try transaction.database.execute(sql: "UPDATE changes SET n = NULL")
            try transaction.database.execute(
                sql: "UPDATE meta SET value = ? WHERE name = 'numbered_from'",
                arguments: [String(transaction.head.value)]
            )
        }
    }

    private static func check(
        _ store: TestStore, _ chats: [Chat], _ alice: StreamID, _ random: inout SeededRandom
    ) throws {
        let user = try store.entry(alice)
        let all = chats.flatMap(\.positions).sorted()
        for _ in 1...40 {
            let after = Int64.random(in: 0...store.writer.head.value, using: &random)
            let limit = Int.random(in: 1...60, using: &random)
            let expected = all.filter { $0 > after }
            let (found, isMore) = try store.read { transaction in
                (
                    try transaction.log.positions(of: user, after: Position(after), limit: limit),
                    try transaction.log.isMore(than: limit, of: user, after: Position(after))
                )
            }
            #expect(found.map(\.value) == Array(expected.prefix(limit)))
            #expect(isMore == (expected.count > limit))
        }
        for chat in chats {
            let (entry, own) = try store.read { transaction in
                (
                    try transaction.chats.find(chat.name),
                    try transaction.chats.members(of: chat.id).first { $0.user == alice }
                )
            }
            #expect(entry?.last == chat.last)
            #expect(own?.unread == chat.unread)
            #expect(own?.delivered == chat.delivered)
        }
    }

    @Test func `a member's mark that is refused is not kept, though nothing else was written`() throws {
        let store = try TestStore()
        let alice = try store.user("alice")
        let chats = try Self.chats(store, of: alice, 1)
        let chat = chats[0]
        let committed = try store.writer.commit([1, 2, 3]) { item, transaction in
            _ = try transaction.chats.find(chat.name)
            try transaction.chats.setDelivered(Int64(item), of: alice, in: chat.id)
            if item > 1 { throw Failure() }
            return true
        } refuse: { _ in
            false
        }
        #expect(committed.items.map(\.outcome) == [true, false, false])
        let own = try store.read { try $0.chats.members(of: chat.id).first { $0.user == alice } }
        #expect(own?.delivered == 1)
    }

    @Test func `a commit larger than the buffer of the log is whole for readers and for the next start`() throws {
        let folder = TemporaryFolder()
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 5000)
        do {
            let store = try TestStore(in: folder)
            let reader = try Storage.openReader(store.directory)
            for round in 1...3 {
                try store.write { transaction in
                    for _ in 1...300 { try transaction.append(body, to: StreamID(stored: 9)) }
                }
                #expect(try reader.read { try $0.log.count() } == Int64(300 * round))
            }
            #expect(throws: Failure.self) {
                try store.write { transaction in
                    for _ in 1...300 { try transaction.append(body, to: StreamID(stored: 9)) }
                    throw Failure()
                }
            }
            try store.write { try $0.append(body, to: StreamID(stored: 9)) }
            #expect(try reader.read { try $0.log.count() } == 901)
            try reader.close()
            // Not closed: the next start finds the log as a killed process leaves it.
        }
        let store = try TestStore(in: folder)
        let (count, report) = try store.read { transaction in
            (
                try transaction.log.count(),
                try String.fetchOne(transaction.database, sql: "PRAGMA integrity_check")
            )
        }
        #expect(count == 901)
        #expect(report == "ok")
    }
}
