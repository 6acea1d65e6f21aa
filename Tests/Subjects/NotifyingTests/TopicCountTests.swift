import JSON
import Model
import Notifying
import ServicesTestSupport
import Store
import TestSupport
import Testing
import TriggerExecution

/// The stored unread count of users who follow many topics: it must be the count that visiting each follow gives.
struct TopicCountTests {
    private static let topics = 90

    /// A user who follows all topics except the last few, and enough of them that the count is stored.
    private static func house() throws -> House {
        let house = try House()
        _ = try house.actor("alice")
        for number in 0..<topics - 5 { try house.follow("alice", "t:\(number)") }
        return house
    }

    private static func check(_ house: House) throws {
        let user = try house.entry("alice")
        let plain = try house.look { try $0.notifications.countUnreadTopics(of: user) }
        #expect(try house.look { try $0.topicCounts.unread(of: user) } == plain)
        #expect(try house.counts("alice").notifications == plain + user.unreadInbox)
    }

    @Test func `the number of follows is kept with the user`() throws {
        let house = try Self.house()
        #expect(try house.entry("alice").follows == Int64(Self.topics - 5))
        try house.follow("alice", "t:0", isOn: false)
        try house.follow("alice", "t:0", isOn: false)
        #expect(try house.entry("alice").follows == Int64(Self.topics - 6))
        try Self.check(house)
    }

    @Test(arguments: Seeds.first(4, of: 12))
    func `a kept count is what visiting each follow counts, whatever happens`(seed: UInt64) throws {
        let house = try Self.house()
        var random = SeededRandom(seed: seed)
        var ids: [Int64] = []
        for step in 0..<150 {
            let topic = "t:\(Int.random(in: 0..<Self.topics, using: &random))"
            switch Int.random(in: 0..<14, using: &random) {
            case 0...4:
                let reply = try house.broadcast(topic, collapse: Bool.random(using: &random) ? "c" : nil)
                ids.append(try #require(reply.seq))
            case 5: ids.append(try #require(try house.broadcast("everyone").seq))
            case 6, 7: try house.follow("alice", topic, isOn: Bool.random(using: &random))
            case 8:
                // Enough to cross, in both directions, the number of follows from which the count is stored.
                for number in 0..<30 { try house.follow("alice", "t:\(number)", isOn: step.isMultiple(of: 2)) }
            case 9: try house.seen("alice", upTo: Int64.random(in: 1...house.head.value, using: &random))
            case 10:
                guard let id = ids.randomElement(using: &random) else { continue }
                if Bool.random(using: &random) {
                    _ = try? house.seen("alice", ids: ["n\(id)"])
                } else {
                    _ = try? house.write(ArchiveNotifications(["n\(id)"], key: nil), by: "alice")
                }
            case 11:
                let id = Int64.random(in: 1...Int64(ids.count + 1), using: &random)
                _ = try? house.write(CancelBroadcast(id: id), by: "admin")
            case 12:
                let expiring = try house.broadcast(topic, expires: house.now.adding(milliseconds: 1))
                ids.append(try #require(expiring.seq))
                house.now = house.now.adding(milliseconds: 2)
                try house.write(FireDueTriggers(), by: "server")
            default: try house.trim(keeping: Bool.random(using: &random) ? nil : 1000)
            }
            try Self.check(house)
        }
    }
}
