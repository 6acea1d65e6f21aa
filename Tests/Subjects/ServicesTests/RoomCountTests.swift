import ClientProtocol
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import StoreTestSupport
import TestMarks
import TestSupport
import Testing

/// The unread counts of rooms are arithmetic. Here they are compared, after each of very many steps, with what is counted
/// message by message.
struct RoomCountTests {
    private let people = ["alice", "bob", "carol", "dave"]

    /// How many messages of others somebody has not read, counted one by one.
    private func counted(_ house: House, _ name: String, _ room: String) throws -> Int64 {
        let read = try house.chatLine(name, room)?["read"]?.integerValue ?? 0
        let messages = try house.history(name, room, after: read, limit: 200)["messages"]?.arrayValue ?? []
        return Int64(messages.count { $0["from"] != .string(name) && $0["deleted"] != true })
    }

    @Test(arguments: Seeds.first(2, of: 6))
    func `counts are those of the messages themselves, on live sessions, in lists and at the start`(seed: UInt64) throws
    {
        var random = SeededRandom(seed: seed)
        let house = try House()
        let rooms = [
            try house.room("alice", ["bob"], isOpen: true), try house.room("bob", ["alice", "carol"], isOpen: true),
        ]
        let sessions = try people.map { try house.connect($0) }
        for step in 0..<150 {
            let name = people[Int.random(in: 0..<people.count, using: &random)]
            let room = rooms[Int.random(in: 0..<2, using: &random)]
            let last = try house.look { try $0.chats.find(try chat(room))?.last } ?? 0
            let n = last == 0 ? 1 : Int64.random(in: max(1, last - 5)...last, using: &random)
            do {
                switch Int.random(in: 0..<12, using: &random) {
                case 0..<5: try house.send(name, room)
                case 5, 6: try house.markRead(name, room, n)
                case 7: try house.markRead(name, room, max(1, last))
                case 8, 9: try house.delete(name, room, n)
                case 10: try house.join(name, room)
                default: if Int.random(in: 0..<4, using: &random) == 0 { try house.leave(name, room) }
                }
            } catch is Refusal {}
            for (name, session) in zip(people, sessions) {
                var unread: Int64 = 0
                for room in rooms {
                    guard let line = try house.chatLine(name, room) else { continue }
                    let truth = try counted(house, name, room)
                    #expect(line["unread"] == .integer(truth), "step \(step), \(name) in \(room)")
                    if truth > 0 { unread += 1 }
                }
                #expect(session.counts.chats == unread, "step \(step), \(name)")
                #expect(try house.counts(name).chats == unread, "step \(step), \(name)")
            }
        }
    }

    /// The middle one of the times of commits that alternate, so that other work of the machine takes from both.
    @Test(.timed) func `a message to a room of a thousand takes at most half more time than one to a pair`() throws {
        let house = try House()
        try house.follow("alice", "user:bob")
        let room = try house.room("alice", (1..<1000).map { "u\($0)" })
        var times: [String: [Duration]] = [:]
        for _ in 0..<200 {
            for recipient in ["bob", room] {
                let time = try ContinuousClock().measure { try house.send("alice", recipient) }
                times[recipient, default: []].append(time)
            }
        }
        let pair = try #require(times["bob"]?.sorted()[100])
        let many = try #require(times[room]?.sorted()[100])
        print("a message to a pair takes \(pair), to a room of 1,000 \(many), \(many / pair) of it")
        #expect(many / pair <= 1.5)
    }

    @Test func `a message of a room of a thousand writes as many rows as one of a pair`() throws {
        let house = try House()
        try house.follow("alice", "user:bob")
        try house.send("alice", "bob")
        let room = try house.room("alice", (1..<1000).map { "u\($0)" })
        try house.send("alice", room)
        func rows(_ recipient: String) throws -> Int {
            let before = house.mirror.statementCount
            try house.send("alice", recipient)
            return house.mirror.statementCount - before
        }
        #expect(try rows(room) <= rows("alice:bob"))
    }
}
