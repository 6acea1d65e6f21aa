import ClientProtocol
import JSON
import Model
import Session
import TestSupport
import Testing

@Suite struct ClientSessionReconnectTests {
    @Test(arguments: [4400, 4403, 4409, 4499] as [UInt16])
    func `a close of 44xx ends the session`(code: UInt16) throws {
        var harness = try SessionHarness.live()
        let end = TransportEnd.closed(code: code, reason: "go away")
        harness.lose(end)
        #expect(harness.takeReports() == [.ended(.transport(end))])
        #expect(harness.state.isEnded)
        #expect(harness.state.nextDeadline == nil)
    }

    @Test(arguments: [nil, 1000, 1001, 1006, 1011, 4408, 4500, 4501, 4509, 4599] as [UInt16?])
    func `any other close makes it come back`(code: UInt16?) throws {
        var harness = try SessionHarness.live()
        harness.lose(.closed(code: code, reason: ""))
        try harness.reconnect()
    }

    @Test func `an unauthenticated close is tried once with a new token`() throws {
        var harness = try SessionHarness.live()
        harness.lose(.closed(code: 4401, reason: "unauthenticated"))
        try harness.reconnect()
        harness.lose(.closed(code: 4401, reason: "unauthenticated"))
        #expect(harness.state.isEnded)
    }

    @Test func `after bye it comes back when the server said, plus a little jitter`() throws {
        var harness = try SessionHarness.live()
        harness.receive(["type": "bye", "code": 4501, "reason": "drain", "reconnectInMs": 1_800])
        harness.lose(.closed(code: 4501, reason: "drain"))
        let deadline = try #require(harness.state.nextDeadline)
        #expect((1_800...1_900).contains(deadline - harness.now))
    }

    @Test func `a bye sets the wait once, and after it the client chooses its own wait`() throws {
        var harness = try SessionHarness.live()
        harness.receive(["type": "bye", "code": 4501, "reason": "drain", "reconnectInMs": 60_000])
        harness.lose(.closed(code: 4501, reason: "drain"))
        harness.advance(60_100)
        harness.lose()
        #expect(try #require(harness.state.nextDeadline) - harness.now <= 200)
    }

    @Test func `an overloaded server is obeyed before hello was answered`() throws {
        var harness = SessionHarness()
        harness.run { $0.start(at: $1) }
        harness.run { $0.opened(token: "t", at: $1) }
        harness.receive(["type": "bye", "code": 4503, "reason": "overloaded", "reconnectInMs": 7_000])
        harness.lose(.closed(code: 4503, reason: "overloaded"))
        let deadline = try #require(harness.state.nextDeadline)
        #expect((7_000...7_100).contains(deadline - harness.now))
    }

    @Test func `the wait grows to the cap and starts small again once live`() throws {
        var harness = SessionHarness()
        harness.run { $0.start(at: $1) }
        var bound: Int64 = 100
        for _ in 0..<8 {
            harness.lose()
            let wait = try #require(harness.state.nextDeadline) - harness.now
            #expect((bound / 2...bound).contains(wait))
            bound = min(1_000, bound * 2)
            try harness.reconnect()
        }
        try harness.comeOnline(at: 10)
        harness.lose()
        #expect(try #require(harness.state.nextDeadline) - harness.now <= 100)
    }

    @Test func `jitter spreads clients that failed together`() {
        let waits = (0..<50 as Range<UInt64>).map { seed in
            var chance = Chance(seed: seed)
            var backoff = Backoff(baseMilliseconds: 10_000, capMilliseconds: 10_000)
            return backoff.next(using: &chance)
        }
        #expect(Set(waits).count > 45)
        #expect(waits.contains { $0 < 6_000 } && waits.contains { $0 > 9_000 })
    }

    @Test(arguments: [400, 401, 403, 404]) func `an upgrade refused for good ends the session`(status: Int) {
        var harness = SessionHarness()
        harness.run { $0.start(at: $1) }
        harness.lose(.refused(status: status))
        #expect(harness.state.isEnded)
    }

    @Test(arguments: [429, 500, 503]) func `an upgrade refused for now is tried again`(status: Int) throws {
        var harness = SessionHarness()
        harness.run { $0.start(at: $1) }
        harness.lose(.refused(status: status))
        try harness.reconnect()
    }

    @Test func `a hello refused for good ends the session with the refusal`() throws {
        var harness = SessionHarness()
        harness.run { $0.start(at: $1) }
        let id = try #require(try harness.open()["id"])
        harness.receive(["re": id, "error": ["code": "forbidden", "class": "permanent", "message": "kicked"]])
        #expect(harness.takeReports() == [.ended(.refused(Refusal(.forbidden, "kicked")))])
        #expect(harness.disconnects == 1)
    }

    @Test func `a token that runs out is renewed on the connection`() throws {
        var harness = try SessionHarness.live()
        harness.receive(["type": "expiring", "at": "2026-11-21T10:00:00.000Z"])
        #expect(harness.renewals == 1)
        harness.run { $0.renew(token: "new", at: $1) }
        #expect(harness.takeSent().first?["token"] == "new")
    }

    @Test func `no token ends the session`() {
        var harness = SessionHarness()
        harness.run { $0.start(at: $1) }
        harness.run { $0.opened(token: nil, at: $1) }
        #expect(harness.takeReports() == [.ended(.noToken)])
    }

    @Test func `a session that shall not reconnect ends with its connection`() throws {
        var harness = try SessionHarness.live { $0.reconnects = false }
        harness.lose()
        #expect(harness.takeReports() == [.ended(.transport(.lost(nil)))])
    }
}

/// The cursor that a device sends when the connection breaks before it is live.
@Suite struct ClientSessionCursorTests {
    @Test func `a break before live does not make a new device ask for streams that it never wanted`() throws {
        var harness = SessionHarness()
        harness.run { $0.start(at: $1) }
        let id = try #require(try harness.open()["id"])
        harness.receive(["re": id, "ok": PlayedServer.helloBody(seq: 40)])
        harness.lose()
        try harness.reconnect()
        #expect(try harness.open()["since"] == ["epoch": "e-1", "seq": 40])
    }

    @Test(arguments: [[], [["type": "reset", "reason": "epoch"]]] as [[JSONValue]])
    func `a break before live leaves what the device said before`(events: [JSONValue]) throws {
        var harness = try SessionHarness.live(at: 100)
        harness.lose()
        try harness.reconnect()
        let id = try #require(try harness.open()["id"])
        harness.receive(["re": id, "ok": PlayedServer.helloBody(seq: 300, epoch: "e-2")])
        for event in events { harness.receive(event) }
        harness.lose()
        try harness.reconnect()
        let hello = try harness.open()
        #expect(hello["since"] == ["epoch": "e-1", "seq": 100])
        try harness.comeOnline(at: 310, epoch: "e-2", after: hello)
        #expect(harness.state.cursor?.epoch.text == "e-2")
        #expect(harness.state.cursor?.seq == Position(310))
    }

    @Test func `a reset within an epoch goes on from the live after it, also when that is lost once`() throws {
        var harness = try SessionHarness.live(at: 100)
        harness.receive(["type": "reset", "reason": "retention"])
        harness.lose()
        try harness.reconnect()
        #expect(try harness.open()["since"] == ["epoch": "e-1", "seq": 100])
    }

    @Test func `beats move the cursor, and only those that count as this device does`() throws {
        var harness = try SessionHarness.live(at: 10)
        harness.receive(PlayedServer.message(12))
        harness.receive(["type": "beat", "events": 1, "seq": 90])
        #expect(harness.state.cursor?.seq == Position(90))
        harness.receive(["type": "beat", "events": 1, "seq": 80])
        #expect(harness.state.cursor?.seq == Position(90))
        harness.receive(["type": "beat", "events": 2, "seq": 95])
        #expect(harness.state.cursor?.seq == Position(90))
    }
}
