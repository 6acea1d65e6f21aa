import ClientProtocol
import JSON
import Model
import Session
import TestSupport
import Testing

/// Acts as the owner of a `ClientSessionState`, with a clock of its own, and plays the server by hand.
struct SessionHarness {
    var state: ClientSessionState
    var now: Int64 = 1_000
    /// Reports since the last look.
    private(set) var reports: [ClientSessionReport] = []
    /// Messages sent since the last look.
    private(set) var sent: [JSONValue] = []
    private(set) var connects = 0
    private(set) var disconnects = 0
    private(set) var renewals = 0

    init(_ change: (inout ClientSessionConfiguration) -> Void = { _ in }) {
        var configuration = ClientSessionConfiguration(device: "phone")
        configuration.backoff = Backoff(baseMilliseconds: 100, capMilliseconds: 1_000)
        change(&configuration)
        state = ClientSessionState(configuration, chance: Chance(seed: 7))
    }

    /// A session that is live at `seq`, with no reports or messages left.
    static func live(
        at seq: Int64 = 10,
        _ change: (inout ClientSessionConfiguration) -> Void = { _ in }
    ) throws -> SessionHarness {
        var harness = SessionHarness(change)
        harness.run { $0.start(at: $1) }
        try harness.comeOnline(at: seq)
        _ = harness.takeReports()
        return harness
    }

    mutating func run<Output>(_ body: (inout ClientSessionState, Int64) throws -> Output) rethrows -> Output {
        let output = try body(&state, now)
        for action in state.takeActions() {
            switch action {
            case .connect: connects += 1
            case .send(let bytes):
                do {
                    sent.append(try JSONValue(parsing: bytes))
                } catch {
                    Issue.record(error)
                }
            case .disconnect: disconnects += 1
            case .renewToken: renewals += 1
            case .reached: break
            case .report(let report): reports.append(report)
            }
        }
        return output
    }

    mutating func takeReports() -> [ClientSessionReport] {
        defer { reports = [] }
        return reports
    }

    mutating func takeSent() -> [JSONValue] {
        defer { sent = [] }
        return sent
    }

    /// Takes the positions of the reported events.
    mutating func takeEventPositions() -> [Int64] {
        takeReports().compactMap { report in
            guard case .event(let event) = report else { return nil }
            return event.position?.value
        }
    }

    mutating func receive(_ message: JSONValue) {
        run { $0.receive(message.bytes, at: $1) }
    }

    mutating func submit(_ command: ClientCommand) -> Int64 {
        run { $0.submit(command, at: $1) }
    }

    mutating func advance(_ milliseconds: Int64) {
        now += milliseconds
        run { $0.tick(at: $1) }
    }

    mutating func lose(_ end: TransportEnd = .lost(nil)) {
        run { $0.transportEnded(end, at: $1) }
    }

    /// Waits as long as the state demands and lets it connect.
    mutating func reconnect() throws {
        let before = connects
        now = max(now, try #require(state.nextDeadline))
        run { $0.tick(at: $1) }
        #expect(connects == before + 1)
    }

    /// Opens the socket and returns the `hello`.
    mutating func open(token: String? = "t") throws -> JSONValue {
        run { $0.opened(token: token, at: $1) }
        return try #require(takeSent().first { $0["type"] == "hello" })
    }

    /// - Parameter hello: The message that was sent, if the socket was opened already.
    mutating func comeOnline(at seq: Int64, epoch: String = "e-1", after hello: JSONValue? = nil) throws {
        let hello = try hello ?? open()
        let id = try #require(hello["id"])
        receive(["re": id, "ok": PlayedServer.helloBody(seq: seq, epoch: epoch)])
        receive(["type": "live", "seq": .integer(seq)])
    }
}

/// A send with a key, for tests that need any write.
func anyWrite(_ key: String) throws -> ClientCommand {
    .send("hi", to: try #require(UserID("bob")), key: try #require(WriteKey(key)))
}
