import Configuration
import Execution
import JSON
import Model
import Notifying
@testable import Push
import Services
import ServicesTestSupport
import Testing
@testable import PushThread
@testable import Log
@testable import Store

/// Decisions for a user, on a real database.
struct PushDecidingTests {
    private let house: House

    init() throws { house = try House() }

    private func job(
        _ kind: PushKind, at position: Int64, in stream: StreamID, chatFrom: MessageNumber? = nil,
        judged: MessageNumber? = nil
    ) -> PushJobEntry {
        let ends = PushLifetime.end(of: kind, .active, expires: nil, committed: house.now)
        return PushJobEntry(
            id: 1, kind: kind, position: Position(position), stream: stream, isShared: false, chatFrom: chatFrom,
            judged: judged, level: .active, at: house.now, due: house.now, ends: ends, previous: nil, isLarge: false,
            cursor: .nobody, state: .waiting, pushed: 0, skipped: 0, failed: 0)
    }

    private func decide(
        _ job: PushJobEntry, for name: String, upTo judged: MessageNumber? = nil
    ) throws -> PushDecision {
        try house.decide(job, for: name, upTo: judged)
    }

    private func openChat() throws {
        _ = try house.entry("bob")
        try house.follow("alice", "user:bob")
        try house.recommend("alice", "bob")
    }

    private func stream(of name: String) throws -> StreamID {
        let id = try chat(name)
        return StreamID(chat: try #require(try house.look { try $0.chats.find(id) }).id)
    }

    private func skip(_ decision: PushDecision) -> PushSkip? {
        if case .skip(let reason) = decision { reason } else { nil }
    }

    private func material(_ decision: PushDecision) throws -> PushMaterial { try decision.material }

    /// A notification in alice's inbox, as a job.
    private func personal(_ title: String = "Hello", expires: Timestamp? = nil) throws -> PushJobEntry {
        let alice = try house.entry("alice").id
        try house.broadcast("user:alice", title, expires: expires)
        return job(.notification, at: house.head.value, in: alice)
    }

    /// A notification of a topic that alice follows, as a job.
    private func ofTopic() throws -> PushJobEntry {
        try house.follow("alice", "person:1")
        try house.broadcast("person:1", "News")
        let stream = try #require(try house.look { try $0.streams.find(named: "person:1") }).id
        return job(.notification, at: house.head.value, in: stream)
    }

    @Test func `a notification that is still true is pushed, with its texts, badge and tag`() throws {
        let job = try personal()
        let material = try material(decide(job, for: "alice"))
        #expect(material.badge == 1)
        #expect(material.entry?.id == "n\(job.position.value)")
        let content = material.content(for: Aims.device(1, of: 2), gone: [], open: WebAddress("https://a.example/"))
        #expect(content.title == "Hello" && content.open?.text == "https://a.example/")
        #expect(content.envelope.entry?.tag == House.tags.tag(topic: "user:alice", collapse: "n\(job.position.value)"))
    }

    @Test func `seen, expired, cancelled, unknown`() throws {
        let seen = try personal()
        try house.seen("alice", ids: ["n\(seen.position.value)"])
        #expect(skip(try decide(seen, for: "alice")) == .seen)
        let brief = try personal("Brief", expires: house.now.adding(milliseconds: 1_000))
        #expect(skip(try decide(brief, for: "alice")) == nil)
        house.now = house.now.adding(milliseconds: 2_000)
        #expect(skip(try decide(brief, for: "alice")) == .expired)
        let gone = try personal("Gone")
        try house.write(CancelBroadcast(id: 3), by: "admin")
        #expect(skip(try decide(gone, for: "alice")) == .removed)
        let late = try personal("Late")
        house.now = late.ends
        #expect(skip(try decide(late, for: "alice")) == .expired)
    }

    @Test func `an unfollowed topic, and one that is muted when its notification is written`() throws {
        _ = try house.entry("bob")
        let job = try ofTopic()
        #expect(skip(try decide(job, for: "alice")) == nil)
        #expect(skip(try decide(job, for: "bob")) == .unfollowed)
        try house.follow("alice", "person:1", isOn: false)
        #expect(skip(try decide(job, for: "alice")) == .unfollowed)
        for (preferences, reason): (JSONObject, PushSkip) in [
            (["mute": ["topics": ["person:1": true]]], .muted), (["mute": nil, "levels": ["critical"]], .level),
            (["levels": ["active"], "quietHours": ["from": "00:00", "to": "00:00"]], .quietHours),
        ] {
            try house.write(ChangePreferences(preferences), by: "alice")
            let found = skip(try decide(try ofTopic(), for: "alice"))
            #expect(found == reason)
        }
    }

    @Test(arguments: [60_000, nil] as [Int64?])
    func `a banned user is pushed nothing while the ban holds`(_ milliseconds: Int64?) throws {
        _ = try house.entry("bob")
        try openChat()
        try house.send("alice", "alice:bob", "before")
        try house.follow("bob", "person:1")
        try house.broadcast("person:1", "News")
        let topic = try #require(try house.look { try $0.streams.find(named: "person:1") }).id
        let bob = try house.entry("bob").id
        let ofTopic = job(.notification, at: house.head.value, in: topic)
        try house.broadcast("user:bob", "For you")
        let own = job(.notification, at: house.head.value, in: bob)
        let message = job(.message, at: 2, in: try stream(of: "alice:bob"), chatFrom: 1)
        let update = job(.quietUpdate, at: own.position.value, in: bob)
        let waiting = [message, ofTopic, own, update]
        for job in waiting { #expect(skip(try decide(job, for: "bob")) == nil) }
        let until = milliseconds.map { house.now.adding(milliseconds: $0) }
        try house.write(RestrictUser(user("bob"), .ban, until: until, reason: "left", key: nil), by: "admin")
        for job in waiting { #expect(skip(try decide(job, for: "bob")) == .banned, "\(job.kind)") }
        #expect(skip(try decide(message, for: "alice")) != .banned)
        let away = job(.withdrawal, at: own.position.value, in: bob)
        #expect(try material(decide(away, for: "bob")).kind == .withdrawal, "it takes away, and shows nothing")
        if let until { house.now = until } else { try house.write(EndRestriction(user("bob"), .ban), by: "admin") }
        #expect(skip(try decide(message, for: "bob")) == nil)
    }

    @Test func `a muted user writes nothing, and is pushed all the same`() throws {
        let job = try personal()
        try house.write(RestrictUser(user("alice"), .mute, until: nil, reason: "spam", key: nil), by: "admin")
        #expect(skip(try decide(job, for: "alice")) == nil)
    }

    @Test func `a quiet update replaces what is shown`() throws {
        let first = try personal("1:0")
        var update = first
        update = job(.quietUpdate, at: first.position.value, in: first.stream)
        #expect(try material(decide(update, for: "alice")).kind == .quietUpdate)
    }

    @Test func `the newest message of others is pushed`() throws {
        try openChat()
        try house.send("alice", "alice:bob", "first")
        try house.send("alice", "alice:bob", "second")
        try house.send("bob", "alice:bob", "own")
        let stream = try stream(of: "alice:bob")
        let messages = job(.message, at: 2, in: stream, chatFrom: 2)
        let material = try material(decide(messages, for: "bob", upTo: 4))
        #expect(material.entry?.number == 3 && material.entry?.isMessage == true)
        let content = material.content(for: Aims.device(1, of: 2), gone: [], open: nil)
        #expect((content.title, content.body) == ("alice", "second"))
        #expect(try self.material(decide(messages, for: "bob", upTo: 2)).entry?.number == 2)
        #expect(try self.material(decide(messages, for: "alice", upTo: 4)).entry?.number == 4)
        #expect(skip(try decide(messages, for: "cleo")) == .removed)
        try house.markRead("bob", "alice:bob", 3)
        #expect(skip(try decide(messages, for: "bob", upTo: 4)) == .seen)
    }

    @Test func `a later try of messages leaves newer ones to their own job`() throws {
        try openChat()
        try house.send("alice", "alice:bob", "first")
        let messages = job(.message, at: 2, in: try stream(of: "alice:bob"), chatFrom: 2, judged: 2)
        #expect(try material(decide(messages, for: "bob")).entry?.number == 2)
        try house.send("alice", "alice:bob", "second")
        #expect(skip(try decide(messages, for: "bob")) == .replaced)
    }

    @Test func `a message waits for the end of quiet hours, and a muted chat is a skip`() throws {
        try openChat()
        try house.send("alice", "alice:bob")
        let messages = job(.message, at: 2, in: try stream(of: "alice:bob"), chatFrom: 2)
        let minute = house.now.milliseconds / 60_000 % 1_440
        func clock(_ minutes: Int64) -> JSONValue {
            let text = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
            return .string(text)
        }
        try house.write(
            ChangePreferences(["quietHours": ["from": clock(minute), "to": clock((minute + 60) % 1_440)]]), by: "bob")
        guard case .wait(let until) = try decide(messages, for: "bob") else {
            return #expect(Bool(false), "it does not wait")
        }
        let wait = until.milliseconds - house.now.milliseconds
        #expect((59 * 60_000...60 * 60_000).contains(wait))
        try house.write(
            ChangePreferences(["quietHours": nil, "mute": ["chats": ["alice:bob": true]]]), by: "bob")
        #expect(skip(try decide(messages, for: "bob")) == .muted)
    }
}
