import ClientProtocol
import JSON
import Model
import Session
import TestSupport
import Testing

@Suite struct ClientSessionStateTests {
    @Test func `hello bears token, device, locale and client, and no since at first`() throws {
        var harness = SessionHarness {
            $0.locale = "it"
            $0.client = "test/1"
        }
        harness.run { $0.start(at: $1) }
        let hello = try harness.open(token: "secret")
        #expect(hello["token"] == "secret")
        #expect(hello["device"] == "phone")
        #expect(hello["locale"] == "it")
        #expect(hello["client"] == "test/1")
        #expect(hello["since"] == nil)
    }

    @Test func `the answer to hello is reported with the unread counts`() throws {
        var harness = SessionHarness()
        harness.run { $0.start(at: $1) }
        try harness.comeOnline(at: 10)
        let reports = harness.takeReports()
        guard case .online(let hello) = reports.first else {
            Issue.record("no online: \(reports)")
            return
        }
        #expect(hello.unread == UnreadCounts(chats: 2, notifications: 5))
        #expect(reports.last == .live(Position(10)))
        #expect(harness.state.isLive)
    }

    @Test func `the cursor advances with durable events and is asked for after a loss`() throws {
        var harness = try SessionHarness.live(at: 10)
        harness.receive(PlayedServer.message(12))
        harness.receive(["type": "typing", "chat": "alice:bob", "user": "bob", "on": true])
        harness.receive(PlayedServer.message(15))
        #expect(harness.takeEventPositions() == [12, 15])
        harness.lose()
        try harness.reconnect()
        let hello = try harness.open()
        #expect(hello["since"] == ["epoch": "e-1", "seq": 15])
        #expect(harness.state.reconnects == 1)
    }

    @Test func `live moves the cursor to the head, never back`() throws {
        var harness = try SessionHarness.live(at: 10)
        harness.receive(PlayedServer.message(20))
        harness.receive(["type": "live", "seq": 15])
        #expect(harness.state.cursor?.seq == Position(20))
        harness.receive(["type": "live", "seq": 25])
        #expect(harness.state.cursor?.seq == Position(25))
    }

    @Test(arguments: [10, 9, 12]) func `an event not above the cursor is a violation, not an event`(seq: Int64) throws {
        var harness = try SessionHarness.live(at: 10)
        harness.receive(PlayedServer.message(12))
        _ = harness.takeReports()
        harness.receive(PlayedServer.message(seq))
        let reports = harness.takeReports()
        guard case .violation(.notAscending(let event, let cursor)) = reports.first else {
            Issue.record("no violation: \(reports)")
            return
        }
        #expect(event.position == Position(seq))
        #expect(cursor == Position(12))
        #expect(reports.count == 1)
    }

    @Test func `another epoch forgets the cursor and takes the new one`() throws {
        var harness = try SessionHarness.live(at: 100)
        harness.lose()
        try harness.reconnect()
        let id = try #require(try harness.open()["id"])
        harness.receive(["re": id, "ok": PlayedServer.helloBody(seq: 3, epoch: "e-2")])
        harness.receive(["type": "reset", "reason": "epoch"])
        harness.receive(["type": "live", "seq": 3])
        harness.receive(PlayedServer.message(4))
        let reports = harness.takeReports()
        #expect(reports.contains(.reset(reason: "epoch")))
        #expect(!reports.contains { if case .violation = $0 { true } else { false } })
        #expect(harness.state.cursor?.epoch.text == "e-2")
        #expect(harness.state.cursor?.seq == Position(4))
    }

    @Test func `a beat that counts the same is silent`() throws {
        var harness = try SessionHarness.live(at: 10)
        harness.receive(PlayedServer.message(11))
        harness.receive(["type": "presence", "user": "bob", "online": true])
        _ = harness.takeReports()
        harness.receive(["type": "beat", "events": 1, "seq": 11])
        #expect(harness.takeReports().isEmpty)
        #expect(harness.disconnects == 0)
    }

    @Test(arguments: [0, 2]) func `a beat that counts otherwise is a violation and makes it resume`(count: Int64) throws
    {
        var harness = try SessionHarness.live(at: 10)
        harness.receive(PlayedServer.message(11))
        _ = harness.takeReports()
        harness.receive(["type": "beat", "events": .integer(count), "seq": 12])
        #expect(harness.takeReports() == [.violation(.countDiffers(sent: count, received: 1))])
        #expect(harness.disconnects == 1)
        harness.lose()
        #expect(harness.state.reconnects == 1)
        try harness.reconnect()
        #expect(try harness.open()["since"]?["seq"] == 11)
    }

    @Test func `each connection counts its events from zero`() throws {
        var harness = try SessionHarness.live(at: 10)
        harness.receive(PlayedServer.message(11))
        harness.lose()
        try harness.reconnect()
        try harness.comeOnline(at: 11)
        _ = harness.takeReports()
        harness.receive(["type": "beat", "events": 0, "seq": 11])
        #expect(harness.takeReports().isEmpty)
    }

    @Test func `the cursor is acknowledged once, some time after the first event`() throws {
        var harness = try SessionHarness.live(at: 10) { $0.ackAfterMilliseconds = 500 }
        harness.receive(PlayedServer.message(11))
        harness.advance(400)
        harness.receive(PlayedServer.message(12))
        #expect(harness.takeSent().isEmpty)
        harness.advance(100)
        #expect(harness.takeSent() == [["type": "ack", "seq": 12]])
        harness.advance(5_000)
        #expect(harness.takeSent().isEmpty)
    }

    @Test func `an event that was not acknowledged before a lost connection is acknowledged after it`() throws {
        var harness = try SessionHarness.live(at: 10) { $0.ackAfterMilliseconds = 500 }
        harness.receive(PlayedServer.message(11))
        harness.lose()
        try harness.reconnect()
        try harness.comeOnline(at: 11)
        #expect(harness.takeSent().isEmpty)
        harness.advance(500)
        #expect(harness.takeSent() == [["type": "ack", "seq": 11]])
        harness.lose()
        try harness.reconnect()
        try harness.comeOnline(at: 11)
        harness.advance(5_000)
        #expect(harness.takeSent().isEmpty)
    }

    @Test func `a server silent for more than two heartbeats counts as gone`() throws {
        var harness = try SessionHarness.live(at: 10) { $0.silenceGraceMilliseconds = 1_000 }
        harness.advance(50_000)
        harness.run { $0.heard(at: $1) }
        harness.advance(50_999)
        #expect(harness.disconnects == 0)
        harness.advance(1)
        #expect(harness.disconnects == 1)
    }

    @Test func `a hello that is never answered ends the attempt`() throws {
        var harness = SessionHarness()
        harness.run { $0.start(at: $1) }
        _ = try harness.open()
        harness.advance(10_000)
        #expect(harness.disconnects == 1)
        harness.lose()
        try harness.reconnect()
    }

    @Test func `bytes that are not a message are a violation and change nothing`() throws {
        var harness = try SessionHarness.live(at: 10)
        harness.run { $0.receive(Array("[1".utf8), at: $1) }
        guard case .violation(.unreadable) = harness.takeReports().first else {
            Issue.record("no violation")
            return
        }
        harness.receive(["re": 999, "ok": [:]])
        #expect(harness.takeReports() == [.violation(.unexpectedReply(RequestID(999)))])
        #expect(harness.state.isLive)
    }

    @Test func `an event of a type this client does not know is handed on and counted when it has a place`() throws {
        var harness = try SessionHarness.live(at: 10)
        harness.receive(["type": "novelty", "seq": 11])
        harness.receive(["type": "whim"])
        #expect(harness.takeReports().count == 2)
        #expect(harness.state.cursor?.seq == Position(11))
    }
}
