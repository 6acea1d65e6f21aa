import ClientProtocol
import JSON
import Model
import Session
import TestSupport
import Testing

@Suite struct ClientSessionOutboxTests {
    private static let ok: JSONValue = ["seq": 20]

    @Test func `commands wait for hello and are answered by their ids`() throws {
        var harness = SessionHarness()
        let first = harness.submit(try anyWrite("a"))
        harness.run { $0.start(at: $1) }
        #expect(harness.takeSent().isEmpty)
        let hello = try harness.open()
        let second = harness.submit(try anyWrite("b"))
        #expect(harness.takeSent().isEmpty)
        harness.receive(["re": try #require(hello["id"]), "ok": PlayedServer.helloBody(seq: 1)])
        #expect(harness.takeSent().map { $0["key"] } == ["a", "b"])
        _ = harness.takeReports()
        harness.receive(["re": .integer(second), "ok": Self.ok])
        harness.receive(["re": .integer(first), "ok": Self.ok])
        #expect(
            harness.takeReports() == [.reply(command: second, .ok(Self.ok)), .reply(command: first, .ok(Self.ok))]
        )
        #expect(harness.state.pendingCount == 0)
    }

    @Test func `an unanswered write goes out again with its key after a reconnect, an answered one does not`() throws {
        var harness = try SessionHarness.live()
        let answered = harness.submit(try anyWrite("a"))
        _ = harness.submit(try anyWrite("b"))
        _ = harness.submit(try anyWrite("c"))
        let before = harness.takeSent()
        harness.receive(["re": .integer(answered), "ok": Self.ok])
        harness.lose()
        _ = harness.submit(try anyWrite("d"))
        try harness.reconnect()
        try harness.comeOnline(at: 10)
        let after = harness.takeSent()
        #expect(after.map { $0["key"] } == ["b", "c", "d"])
        #expect(Array(after.prefix(2)) == Array(before.dropFirst()))
    }

    @Test func `a command of the moment is lost with the connection`() throws {
        var harness = try SessionHarness.live()
        let id = harness.submit(ClientCommand(TypingCommand.self, ["chat": "alice:bob", "on": true]))
        harness.lose()
        #expect(harness.takeReports().first == .reply(command: id, .lost))
        try harness.reconnect()
        try harness.comeOnline(at: 10)
        #expect(harness.takeSent().isEmpty)
    }

    @Test func `a permanent refusal is the end of a write`() throws {
        var harness = try SessionHarness.live()
        let id = harness.submit(try anyWrite("a"))
        let refusal = Refusal(.blocked, "no")
        harness.receive(["re": .integer(id), "error": Self.error(refusal)])
        #expect(harness.takeReports() == [.reply(command: id, .refused(refusal))])
        #expect(harness.state.pendingCount == 0)
    }

    @Test(arguments: [ErrorCode.unavailable, .timeout, .internal, .rateLimited, .tooMany])
    func `a refusal for now is tried again later with the same key, before what came after`(code: ErrorCode) throws {
        var harness = try SessionHarness.live()
        let id = harness.submit(try anyWrite("a"))
        let first = harness.takeSent()
        let refusal = Refusal(code, "later", retryAfterMilliseconds: 300)
        harness.receive(["re": .integer(id), "error": Self.error(refusal)])
        _ = harness.submit(try anyWrite("b"))
        harness.advance(299)
        #expect(harness.takeSent().isEmpty)
        harness.advance(101)
        let again = harness.takeSent()
        #expect(again.first == first.first)
        #expect(again.map { $0["key"] } == ["a", "b"])
        #expect(harness.takeReports().isEmpty)
    }

    @Test func `an auth refusal renews the token on the same connection and repeats`() throws {
        var harness = try SessionHarness.live()
        let id = harness.submit(try anyWrite("a"))
        _ = harness.takeSent()
        harness.receive(["re": .integer(id), "error": Self.error(Refusal(.tokenExpired, "old"))])
        #expect(harness.renewals == 1)
        harness.run { $0.renew(token: "new", at: $1) }
        let hello = try #require(harness.takeSent().first)
        #expect(hello["token"] == "new")
        #expect(hello["since"] == nil)
        harness.receive(["re": try #require(hello["id"]), "ok": PlayedServer.helloBody(seq: 10)])
        #expect(harness.takeSent().map { $0["key"] } == ["a"])
        harness.receive(["re": .integer(id), "error": Self.error(Refusal(.tokenExpired, "old"))])
        #expect(harness.takeReports().last == .reply(command: id, .refused(Refusal(.tokenExpired, "old"))))
    }

    @Test func `the number of commands in flight has a limit`() throws {
        var harness = try SessionHarness.live { $0.inFlightMax = 2 }
        let ids = try ["a", "b", "c", "d"].map { harness.submit(try anyWrite($0)) }
        #expect(harness.takeSent().map { $0["key"] } == ["a", "b"])
        harness.receive(["re": .integer(ids[1]), "ok": Self.ok])
        #expect(harness.takeSent().map { $0["key"] } == ["c"])
    }

    @Test func `stopping reports every command without an answer as lost, then the end`() throws {
        var harness = try SessionHarness.live()
        let id = harness.submit(try anyWrite("a"))
        harness.run { state, _ in state.stop() }
        #expect(harness.takeReports() == [.reply(command: id, .lost), .ended(.stopped)])
        #expect(harness.disconnects == 1)
        let late = harness.submit(try anyWrite("b"))
        #expect(harness.takeReports() == [.reply(command: late, .lost)])
    }

    private static func error(_ refusal: Refusal) -> JSONValue {
        var error: JSONValue = [
            "code": .string(refusal.code.rawValue), "class": .string(refusal.code.errorClass.rawValue),
            "message": .string(refusal.message),
        ]
        if let delay = refusal.retryAfterMilliseconds { error["retryAfterMs"] = .integer(delay) }
        return error
    }
}
