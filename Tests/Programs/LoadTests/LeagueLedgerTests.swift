import Authentication
import Client
import JSON
import Model
import Session
import Testing

@testable import watchwise_load

/// A fan's ledger notices each way in which a server can send a goal wrongly, and nothing else.
@Suite struct LeagueLedgerTests {
    private func goal(_ match: Int, _ seq: Int64, goal: String = "g", isSilent: Bool = false) -> ClientEvent {
        var body: JSONValue = [
            "id": .string("n\(seq)"), "topics": .array(LeaguePlan.topics(of: match).map { .string($0) }),
            "data": ["goal": .string("\(goal)\(match)"), "match": .string("m\(match)"), "sent": "5"],
        ]
        if isSilent { body["alert"] = false }
        return ClientEvent(type: "notification", position: Position(seq), body: body)
    }

    private func removed(_ id: String, _ seq: Int64, _ reason: String = "replaced") -> ClientEvent {
        ClientEvent(
            type: "notification.removed", position: Position(seq), body: ["id": .string(id), "reason": .string(reason)])
    }

    private func count(_ count: Int64) -> ClientEvent {
        ClientEvent(type: "unread", position: nil, body: ["chats": 0, "notifications": .integer(count)])
    }

    /// The faults of a fan who must get the goals of the matches 1 and 2.
    private func faults(
        _ events: [ClientEvent], correcting: [ClientEvent] = [], list: [String], unread: Int64
    ) -> [LeagueLedger.Fault: Int] {
        var ledger = LeagueLedger(matches: [1, 2])
        for event in events { _ = ledger.receive(event, isCorrecting: false) }
        for event in correcting { _ = ledger.receive(event, isCorrecting: true) }
        ledger.rest(
            rounds: 1,
            list: ["unread": .integer(unread), "notifications": .array(list.map { ["id": .string($0)] })])
        return ledger.faults
    }

    private var right: [ClientEvent] { [goal(1, 3), count(1), goal(2, 4), count(2)] }

    @Test func `each goal once with its count is no fault, nor is a correction that rings nobody`() {
        #expect(faults(right, list: ["n4", "n3"], unread: 2) == [:])
        #expect(faults([goal(1, 3), goal(2, 4), count(2)], list: ["n4", "n3"], unread: 2) == [:])
        let correction = [removed("n3", 5), goal(1, 6, isSilent: true)]
        #expect(faults(right, correcting: correction, list: ["n4", "n6"], unread: 2) == [:])
    }

    @Test func `a notification that is missing, comes twice or to the wrong fan is found`() {
        #expect(faults([goal(1, 3), count(1)], list: ["n3"], unread: 1) == [.lost: 1, .wrongCount: 1])
        let twice = right + [goal(2, 5)]
        #expect(faults(twice, list: ["n5", "n3"], unread: 2) == [.doubled: 1])
        #expect(faults(right + [goal(3, 5), count(3)], list: ["n5", "n4", "n3"], unread: 3)[.stray] == 2)
        #expect(faults([goal(1, 4), goal(2, 3), count(2)], list: ["n4", "n3"], unread: 2) == [.descending: 1])
        #expect(faults(right + [removed("n9", 7)], list: ["n4", "n3"], unread: 2) == [.stray: 1])
    }

    @Test func `a count that is late, goes back or differs at rest is found`() {
        #expect(
            faults([goal(1, 3), count(0), goal(2, 4), count(2)], list: ["n4", "n3"], unread: 2) == [.wrongCount: 1])
        #expect(faults(right + [count(1)], list: ["n4", "n3"], unread: 2) == [.wrongCount: 1])
        #expect(faults(right, list: ["n4", "n3"], unread: 1) == [.wrongCount: 1])
        #expect(faults(right + [count(4)], list: ["n4", "n3"], unread: 2) == [.wrongCount: 1])
        #expect(faults(right, list: ["n4"], unread: 2) == [.wrongList: 1])
        // 1, 2, 1 while one is being replaced.
        let correction = [removed("n3", 5), count(1), goal(1, 6, isSilent: true), count(2)]
        #expect(faults(right, correcting: correction, list: ["n4", "n6"], unread: 2) == [.wrongCount: 1])
    }

    @Test func `a correction that rings, and one that leaves nothing, are found`() {
        let ringing = [removed("n3", 5), goal(1, 6)]
        #expect(faults(right, correcting: ringing, list: ["n4", "n6"], unread: 2) == [.rangAgain: 1])
        #expect(faults(right, correcting: [removed("n3", 5)], list: ["n4"], unread: 2) == [.lost: 1])
    }

    @Test func `a fan hears of each match once, however many of its topics the fan follows`() throws {
        let plan = LeaguePlan(
            fans: 5_000, matches: 200, loops: 1, server: try ServerAddress("http://127.0.0.1:1"),
            mint: TokenMint(secret: try ServerSecret()))
        var sizes: [Int: Int] = [:]
        for fan in 0..<plan.fans {
            let topics = plan.topics(of: fan)
            #expect(topics.map { $0.hasPrefix("team:") } == [true, true, false])
            let heard = (0..<plan.matches).filter { !Set(LeaguePlan.topics(of: $0)).isDisjoint(with: topics) }
            #expect(plan.matches(of: fan) == Set(heard))
            sizes[heard.count, default: 0] += 1
        }
        #expect(sizes.keys.sorted() == [1, 2, 3])
        #expect(plan.follows.count == 15_000)
    }
}
