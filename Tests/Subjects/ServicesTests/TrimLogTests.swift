import ClientProtocol
import Execution
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import TestSupport
import Testing

struct TrimLogTests {
    private static let day: Int64 = 86_400_000
    private static let hour: Int64 = 3_600_000

    private static func page(_ house: House, _ name: String, after position: Position) throws -> [Int64] {
        let user = try house.entry(name)
        let page = try house.look {
            try LogPage(of: user, after: position, deviceLanguage: nil, limit: 500, in: $0)
        }
        return page.events.map(\.position.value)
    }

    private static func reset(_ house: House, _ name: String, since position: Position) throws -> Event.ResetReason? {
        let user = try house.entry(name)
        let point = ResumePoint(epoch: house.writer.epoch, seq: position)
        let resumption = try house.look {
            try Resumption(of: user, since: point, epoch: house.writer.epoch, deviceLanguage: nil, in: $0)
        }
        if case .reset(let reason) = resumption { return reason }
        return nil
    }

    @Test func `entries older than the retention go, and a user who stopped before them hears why`() throws {
        let house = try House()
        try house.follow("alice", "user:bob")
        for _ in 1...20 { try house.send("alice", "bob") }
        let old = house.head
        #expect(try house.trim(keeping: 30 * Self.day).map(\.trimmed) == [0])
        house.now = house.now.adding(milliseconds: 29 * Self.day)
        for _ in 1...5 { try house.send("bob", "alice") }
        #expect(try house.trim(keeping: 30 * Self.day).map(\.trimmed) == [0])
        house.now = house.now.adding(milliseconds: Self.day)
        let report = try #require(try house.trim(keeping: 30 * Self.day).last)
        #expect(report.trimmed == Int(old.value))
        #expect(report.retainedFrom == old)
        #expect(try Self.reset(house, "alice", since: Position(old.value - 1)) == .retention)
        #expect(try Self.reset(house, "alice", since: old) == nil)
        #expect(try Self.page(house, "alice", after: old).count == 5)
        #expect(throws: LogPage.Trimmed.self) { try Self.page(house, "alice", after: Position(old.value - 1)) }
        #expect(try house.history("alice", "alice:bob").integers("messages", "n") == Array(1...25))
    }

    @Test func `the newest entry stays, however old, so that positions never go back`() throws {
        let house = try House()
        try house.follow("alice", "user:bob")
        try house.send("alice", "bob")
        try house.trim(keeping: 1000)
        house.now = house.now.adding(milliseconds: 90 * Self.day)
        try house.trim(keeping: 1000)
        #expect(try house.look { try $0.log.count() } == 1)
        #expect(try house.look { try $0.log.head() } == house.head)
        #expect(try Self.reset(house, "alice", since: house.head) == nil)
    }

    @Test func `to keep all is to trim nothing`() throws {
        let house = try House()
        try house.follow("alice", "user:bob")
        for _ in 1...50 {
            try house.send("alice", "bob")
            house.now = house.now.adding(milliseconds: 3650 * Self.day)
            try house.trim(keeping: nil)
        }
        #expect(try Self.reset(house, "alice", since: .zero) == nil)
        #expect(try house.look { try $0.log.count() } == house.head.value)
    }

    @Test(arguments: [-40, 40, -7300, 7300] as [Int64])
    func `a run of the server with another clock makes nothing old`(days: Int64) throws {
        let house = try House()
        try house.follow("alice", "user:bob")
        let right = house.now
        // Right, wrong, right, and once more: each is a start of the process with marks of its own.
        for (number, shift) in [0, days, 0, 0].enumerated() {
            house.now = right.adding(milliseconds: Int64(number) * Self.day + shift * Self.day)
            var log = max(house.now, try house.look { try $0.retention.newestTime() } ?? house.now)
            for _ in 1...4 {
                try house.send("alice", "bob")
                (house.now, log) = (house.now.adding(milliseconds: Self.hour), log.adding(milliseconds: Self.hour))
                // A clock that is ahead trims correctly; only the marks count here.
                try house.trim(keeping: shift > 0 ? 9000 * Self.day : 30 * Self.day, log: log)
            }
        }
        #expect(try house.look { try $0.log.count() } == house.head.value)
        #expect(try Self.reset(house, "alice", since: .zero) == nil)
        // After thirty more days of running, they are old by any clock.
        let old = house.head
        let newest = try #require(try house.look { try $0.retention.newestTime() })
        house.now = house.now.adding(milliseconds: 31 * Self.day)
        try house.send("alice", "bob")
        try house.trim(keeping: 30 * Self.day, log: newest.adding(milliseconds: 31 * Self.day))
        #expect(try house.look { try $0.log.count() } == house.head.value - old.value)
    }

    @Test func `a mark's time never goes back`() throws {
        let house = try House()
        try house.follow("alice", "user:bob")
        var times: [Int64] = []
        var log = house.now
        for shift in [0, -40, 0, 40, 0] as [Int64] {
            let now = house.now.adding(milliseconds: shift * Self.day)
            log = max(now, log.adding(milliseconds: 2 * Self.hour))
            try house.send("alice", "bob")
            house.now = now
            try house.trim(keeping: 300 * Self.day, log: log)
            times.append(try #require(try house.look { try $0.retention.newestMark() }).at.milliseconds)
        }
        #expect(times == times.sorted() && Set(times).count == 5)
        #expect(try house.look { try $0.retention.newestTime() }?.milliseconds == times.last)
    }

    @Test func `a clock that is ahead does not forget revocations`() throws {
        let house = try House()
        let until = house.now.adding(milliseconds: 20 * Self.day)
        _ = try house.write(RevokeTokens(.token("a"), until: until, reason: nil, key: nil), by: "admin")
        house.now = house.now.adding(milliseconds: 25 * Self.day)
        _ = try house.write(RevokeTokens(.token("b"), until: nil, reason: nil, key: nil), by: "admin")
        try house.trim(keeping: nil)
        #expect(try house.look { try $0.revocations.all() }.count == 2)
        house.now = house.now.adding(milliseconds: 40 * Self.day)
        try house.trim(keeping: nil)
        #expect(try house.look { try $0.revocations.all() }.count == 1)
    }

    @Test func `trimming goes by steps of bounded size`() throws {
        let house = try House()
        let alice = try house.entry("alice")
        let count = 3 * Limits.trimmedRowsMax + 10
        _ = try house.writer.commit(Array(0..<count)) { _, transaction in
            _ = try transaction.append(EncodedEvent(.message, json: Array("{}".utf8)), to: alice.id)
        } refuse: {
            Issue.record($0)
        }
        try house.trim(keeping: 1000)
        house.now = house.now.adding(milliseconds: 2000)
        let steps = try house.trim(keeping: 1000)
        #expect(steps.map(\.trimmed) == [1000, 1000, 1000, 9])
        #expect(steps.map(\.retainedFrom.value) == [1000, 2000, 3000, 3009])
        #expect(steps.map(\.isMoreDue) == [true, true, true, false])
    }

    @Test func `trimming leaves the state: follows, chats, documents and inboxes stay`() throws {
        let house = try House()
        try house.follow("alice", "user:bob")
        try house.follow("alice", "person:1")
        try house.recommend("alice", "bob")
        try house.put("films/1", ["title": "Alien"])
        try house.broadcast("everyone", "stays")
        try house.broadcast("person:1", "gone", collapse: "c")
        try house.broadcast("person:1", "stays, too", collapse: "c")
        let before = (try house.state(), try house.notifications("alice"), try house.chats("alice"))
        try house.trim(keeping: 1000)
        house.now = house.now.adding(milliseconds: 2 * Self.day)
        try house.trim(keeping: 1000)
        var after = try house.state()
        #expect(after["log"] == 1)
        after["log"] = before.0["log"]
        #expect(after == before.0)
        #expect(try house.notifications("alice") == before.1)
        #expect(try house.chats("alice") == before.2)
        #expect(try house.look { try $0.broadcasts.find(2) } == nil, "it went with its notification")
    }

    @Test(arguments: Seeds.first(2, of: 6))
    func `a resume after the trimmed part of the log is exact`(seed: UInt64) throws {
        var run = try ResumeRun(seed: seed)
        for step in 1...160 {
            try run.step()
            run.house.now = run.house.now.adding(milliseconds: 500)
            try run.house.trim(keeping: 10_000)
            guard step.isMultiple(of: 4) else { continue }
            let from = try run.house.look { try $0.retention.from().value }
            #expect(from > 0 || step < 40)
            for name in run.names {
                let position = Int64.random(in: from...run.house.head.value, using: &run.random)
                guard try run.resumed(name, behind: position) == run.missed(name, behind: position) else {
                    Issue.record("seed \(seed), step \(step): \(name) behind \(position)")
                    return
                }
            }
        }
    }
}
