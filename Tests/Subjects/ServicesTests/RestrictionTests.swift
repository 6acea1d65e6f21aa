import Execution
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing

@testable import ClientProtocol

/// Restrictions by moderators, and limits for a person.
struct RestrictionTests {
    private static func talking(_ limits: PersonLimits = .none) throws -> House {
        let house = try House(limits: limits)
        try house.follow("alice", "user:bob")
        try house.recommend("alice", "bob", note: "watch it")
        return house
    }

    @Test func `a muted user reads, and writes nothing to others, until the time`() throws {
        let house = try Self.talking()
        let until = house.now.adding(milliseconds: 60_000)
        try house.restrict("alice", .mute, until: until, reason: "insults")
        try house.openReviews()
        let refused = [
            try house.refusal { try house.send("alice", "alice:bob") },
            try house.refusal { try house.recommend("alice", "bob") },
            try house.refusal { try house.edit("alice", "alice:bob", 1, "x") },
            try house.refusal { try house.react("alice", "alice:bob", 1, "👍") },
            try house.refusal { try house.follow("alice", "user:carol") },
            try house.refusal { try house.review("alice", "r1") },
        ]
        for refusal in refused {
            #expect(refusal.code == .forbidden && refusal.retryAfterMilliseconds == 60_000)
            #expect(refusal.message == "you may not write to others until \(until.text): insults")
        }
        let entry = try house.entry("alice")
        #expect(throws: Refusal.self) {
            try house.look {
                _ = try TypingAudience.members(of: chat("alice:bob"), besides: entry, at: house.now, in: $0)
            }
        }
        #expect(try house.history("alice", "alice:bob")["messages"]?.arrayValue?.count == 1)
        try house.follow("alice", "person:525")
        try house.delete("alice", "alice:bob", 1)
        try house.block("alice", "bob")
        try house.block("alice", "bob", isOn: false)
        #expect(try house.send("bob", "alice:bob").n == 2)
        house.now = until
        #expect(try house.send("alice", "alice:bob").n == 3)
    }

    @Test func `all nodes hear of a ban, which ends by itself or before its time`() throws {
        let house = try House()
        let until = house.now.adding(milliseconds: 1000)
        let answer = try house.restrict("mallory", .ban, until: until, reason: "threats")
        #expect(answer["kind"] == "ban" && answer["by"] == "admin" && answer["until"] == .string(until.text))
        guard case .change(.banned(let ban))? = house.commits.last?.first else {
            Issue.record("\(String(describing: house.commits.last))")
            return
        }
        #expect(ban.user.text == "mallory" && ban.reason == "threats")
        #expect(try house.look { try $0.restrictions.keptOut() } == [ban])
        func held() throws -> Int? {
            try house.read(ReadStanding(of: user("mallory"), .restrictions), by: "admin")["restrictions"]?.arrayValue?
                .count
        }
        #expect(try held() == 1)
        house.now = until
        #expect(try held() == 0)
        try house.restrict("mallory", .ban)
        try house.restrict("mallory", .mute)
        #expect(try held() == 2)
        let ended = try house.write(EndRestriction(user("mallory"), .ban), by: "admin")
        #expect(ended["ended"] == ["ban"])
        #expect(try held() == 1)
        #expect(try house.write(EndRestriction(user("mallory"), nil), by: "admin")["ended"] == ["mute"])
        #expect(try house.write(EndRestriction(user("mallory"), nil), by: "admin")["ended"] == [])
        let past = try house.refusal { try house.restrict("mallory", .ban, until: house.now) }
        #expect(past.code == .badRequest && past.field == "until")
        #expect(
            try house.refusal { try house.write(EndRestriction(user("nobody"), nil), by: "admin") }.code == .notFound)
    }

    @Test func `restrictions that are over go with the trimming`() throws {
        let house = try House()
        try house.restrict("mallory", .mute, until: house.now.adding(milliseconds: 1000))
        house.now = house.now.adding(milliseconds: Limits.clockGapMilliseconds + 1000)
        try house.trim(keeping: nil)
        let id = try house.entry("mallory").id
        #expect(try house.look { try $0.restrictions.find(.mute, of: id) } == nil)
    }

    // MARK: Limits

    @Test func `a person sends so often, over all devices, and waits as long as the refusal says`() throws {
        let house = try Self.talking(PersonLimits(["send": "3/10s"]))
        for number in 1...3 { try house.send("alice", "alice:bob", key: "s\(number)") }
        let refused = try house.refusal { try house.send("alice", "alice:bob") }
        #expect(refused.code == .rateLimited)
        let wait = try #require(refused.retryAfterMilliseconds)
        #expect(wait > 3000 && wait <= 3334)
        #expect(try house.send("alice", "alice:bob", key: "s3").n == 4, "the first reply again")
        house.now = house.now.adding(milliseconds: wait - 1)
        #expect(try house.refusal { try house.send("alice", "alice:bob") }.code == .rateLimited)
        house.now = house.now.adding(milliseconds: 1)
        #expect(try house.send("alice", "alice:bob").n == 5)
        #expect(try house.send("bob", "alice:bob").n == 6, "others are not limited by it")
    }

    @Test func `a write that is undone or refused does not count`() throws {
        let house = try Self.talking(PersonLimits(["send": "2/10s"]))
        struct Failure: Error {}
        let command = SendCommand(
            recipient: .chat(try chat("alice:bob")), text: "x", replyTo: nil, key: try house.key())
        try house.fail(SendMessage(command), by: "alice", with: Failure())
        #expect(try house.refusal { try house.send("alice", "alice:bob", replyTo: 99) }.field == "replyTo")
        try house.send("alice", "alice:bob")
        try house.send("alice", "alice:bob")
        #expect(try house.refusal { try house.send("alice", "alice:bob") }.code == .rateLimited)
    }

    @Test func `each deed has its own limit, and a person's own goes before`() throws {
        let house = try House(
            limits: PersonLimits(["first-contact": "1/1d", "follow": "3/1h", "recommend": "2/1m"]))
        for other in ["bob", "carol", "dave"] { try house.follow("alice", "user:\(other)") }
        #expect(try house.refusal { try house.follow("alice", "person:525") }.code == .rateLimited)
        try house.follow("alice", "user:bob", isOn: false)
        try house.recommend("alice", "carol")
        let refused = try house.refusal { try house.recommend("alice", "dave") }
        #expect(refused.code == .rateLimited && refused.message.contains("first-contact"))
        try house.recommend("alice", "carol")
        #expect(try house.refusal { try house.recommend("alice", "carol") }.message.contains("recommend"))
        try house.write(
            SetLimits(PersonLimits(["first-contact": "10/1d", "recommend": "9/1m"]), of: user("alice"), key: nil),
            by: "admin")
        try house.recommend("alice", "dave")
        #expect(try house.refusal { try house.follow("alice", "person:525") }.code == .rateLimited, "not named")
        let shown = try house.read(ReadStanding(of: user("alice"), .limits), by: "admin")["limits"]
        #expect(shown == ["first-contact": "10/1d", "recommend": "9/1m"])
        try house.write(SetLimits(nil, of: user("alice"), key: nil), by: "admin")
        #expect(try house.read(ReadStanding(of: user("alice"), .limits), by: "admin")["limits"] == .null)
        #expect(try house.refusal { try house.recommend("alice", "dave") }.code == .rateLimited)
    }

    @Test(
        arguments: [["send": "30"], ["send": "0/1s"], ["send": "1/0s"], ["send": 3], ["sing": "1/1s"]] as [JSONObject])
    func `limits of another form are refused by name`(_ limits: JSONObject) throws {
        let refusal = try #require(throws: Refusal.self) { _ = try PersonLimits(limits) }
        #expect(refusal.field == limits.members.first?.name)
    }
}
