import Configuration
import Foundation
import JSON
import Server
import Synchronization
import TestSupport
import Testing

/// The effect of expensive trigger rows on chats: on a server of their own, over real sockets.
@Suite(.serialized) struct HeavyTriggerTests {
    private static let endless =
        "(WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(x) FROM t) > 0"
    /// Searches for 30,000 bytes at each place of 60,000, in a loop.
    private static let search = """
        (WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t LIMIT 40) SELECT
        sum(instr(printf('%.*c', 60000, 'a'), printf('%.*c', 30000 + x, 'a') || 'b')) FROM t) > 0
        """
    /// The same over texts of 250,000 bytes.
    private static let wideSearch = """
        (WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t LIMIT 40) SELECT
        sum(instr(printf('%.*c', 250000, 'a'), printf('%.*c', 120000 + x, 'a') || 'b')) FROM t) > 0
        """

    private let server: TestServer
    private let admin: Admin

    init() throws {
        server = try TestServer { $0.triggers = [] }
        admin = try server.admin()
    }

    private func put(_ count: Int, _ condition: String) throws {
        for number in 0..<count {
            let row: JSONValue = [
                "event": "write", "path": "things/{id}", "audience": "user:nobody", "title": "x",
                "condition": .string(condition),
            ]
            #expect(try admin.call("PUT", "/v1/triggers/heavy-\(number)", row).status == 200)
        }
    }

    /// Writes documents of a few bytes in one request, while a user sends messages one after the other.
    ///
    /// - Returns: the longest wait of a message in milliseconds, and the answer to the request.
    private func hold(_ count: Int, _ round: String) throws -> (milliseconds: Double, answer: HTTPPeer.Answer) {
        let prober = ChatProber(on: server)
        let writes = (0..<count).map { number -> JSONValue in
            ["op": "put", "path": .string("things/\(round)-\(number)"), "data": ["v": .integer(Int64(number))]]
        }
        let answer = try admin.call("POST", "/v1/documents", ["writes": .array(writes)])
        return (try prober.stop(), answer)
    }

    /// The delay of chats by 500 documents without a trigger: most of it comes from this slow build.
    private func baseline() throws -> Double {
        try (0..<2).map { round in
            let (milliseconds, answer) = try hold(500, "plain\(round)")
            #expect(answer.status == 200, "\(answer.text.prefix(300))")
            return milliseconds
        }.max() ?? 0
    }

    /// Puts rows and writes 500 documents, and repeats this while a chat waits longer than allowed: other load on the
    /// machine is not the rows' fault, and rows that delay chats do so each time.
    ///
    /// - Parameter statuses: The allowed answers to the request.
    /// - Parameter statuses: what the request may be answered.
    private func expectShortHold(_ rows: Int, _ condition: String, _ name: String, _ statuses: Set<Int>) throws {
        let plain = try baseline()
        var shortest = Double.infinity
        for round in 0..<8 where shortest >= plain + 250 {
            // A disabled row is enabled when it is put again.
            try put(rows, condition)
            let (milliseconds, answer) = try hold(500, "\(name)\(round)")
            #expect(statuses.contains(answer.status), "\(answer.text.prefix(300))")
            shortest = min(shortest, milliseconds)
        }
        print("held by \(name): \(shortest) ms, without: \(plain) ms")
        #expect(shortest < plain + 250)
    }

    @Test(arguments: [("endless", endless), ("search", search), ("wide-search", wideSearch)])
    func `one bad condition and 500 documents hold a chat for less than 250 ms`(_ row: (String, String)) throws {
        defer { server.application.stop() }
        // Slow conditions with a result are too much for one request, which is refused as a whole.
        try expectShortHold(1, row.1, row.0, [200, 413])
    }

    @Test func `a hundred bad conditions and 500 documents hold a chat for less than 250 ms`() throws {
        defer { server.application.stop() }
        try expectShortHold(100, Self.endless, "hundred", [200])
    }
}

/// Sends a message as soon as the last one is answered, and records how long each took.
/// - Confinement: any
private final class ChatProber: Sendable {
    /// Whether it is to end, and the longest time, or what went wrong; protected by its lock.
    private let state = Mutex((isStopped: false, longest: 0.0, failure: String?.none))
    private let done = DispatchSemaphore(value: 0)

    init(on server: TestServer) {
        let began = DispatchSemaphore(value: 0)
        let thread = Thread { [self] in
            do {
                try send(on: server, began)
            } catch {
                state.withLock { $0.failure = "\(error)" }
            }
            began.signal()
            done.signal()
        }
        thread.stackSize = 4 << 20
        thread.start()
        began.wait()
    }

    private func send(on server: TestServer, _ began: DispatchSemaphore) throws {
        let device = try server.device(server.name("prober"))
        let peer = server.name("peer")
        try device.ok(["type": "follow", "topic": .string("user:\(peer)")])
        let clock = ContinuousClock()
        var number = 0
        while !state.withLock({ $0.isStopped }) {
            number += 1
            let took = try clock.measure {
                _ = try device.ok([
                    "type": "send", "to": .string(peer), "text": "x", "key": .string("p\(number)"),
                ])
            }
            // The first messages make the users and the chat.
            if number > 3 { state.withLock { $0.longest = max($0.longest, took / .milliseconds(1)) } }
            if number == 10 { began.signal() }
        }
    }

    /// The longest time of a message.
    func stop() throws -> Double {
        state.withLock { $0.isStopped = true }
        done.wait()
        let (_, longest, failure) = state.withLock { $0 }
        if let failure { throw TCPSocket.Failure(description: failure) }
        return longest
    }
}
