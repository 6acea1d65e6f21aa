import Foundation
import JSON
import TestSupport
import Testing

/// After a stop and a kill, everything acknowledged exists once, in order.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct StopTests {
    let folder = TemporaryFolder()

    private func send(_ number: Int) -> JSONValue {
        ["type": "send", "chat": "alice:bob", "text": .string("m\(number)"), "key": .string("k\(number)")]
    }

    /// Both sessions, with their chat open: the next command of alice has the id 4.
    private func open(_ port: UInt16) throws -> (alice: Chatter, bob: Chatter) {
        let alice = try Chatter(port: port, token: ServerProcess.token("alice", data: folder.path))
        let bob = try Chatter(port: port, token: ServerProcess.token("bob", data: folder.path))
        _ = try alice.ok(["type": "follow", "topic": "user:bob"])
        _ = try alice.ok(["type": "recommend", "to": "bob", "product": ["id": "movie/1"], "key": "open"])
        return (alice, bob)
    }

    @Test func `SIGTERM under load answers what was begun, says goodbye and ends in time with 0`() throws {
        let server = try ServerProcess(data: folder.path)
        let (alice, bob) = try open(server.port)
        for portion in 0..<20 {
            for number in 0..<10 { try alice.post(send(portion * 10 + number)) }
            try alice.read()
        }
        server.signal(SIGTERM)
        let clock = ContinuousClock()
        let start = clock.now
        #expect(alice.readToEnd() == .close(code: 4501, reason: "drain"))
        #expect(bob.readToEnd() == .close(code: 4501, reason: "drain"))
        #expect(server.wait() == 0)
        #expect(clock.now - start < .seconds(5))
        for chatter in [alice, bob] {
            let bye = try #require(chatter.messages.last)
            #expect(bye["type"] == "bye" && bye["code"] == 4501 && bye["reconnectInMs"] != nil)
        }
        let acknowledged = alice.messages.compactMap { $0["ok"]?["n"]?.integerValue }
        #expect(acknowledged == Array(1...Int64(acknowledged.count)))
        #expect(alice.numbers == acknowledged)
        #expect(try newest(in: folder.path) == acknowledged.last)
        try checkDatabase()
    }

    /// Whether a server says within a second that it is not ready.
    private func isNotReady(_ peer: HTTPPeer) throws -> Bool {
        for _ in 0..<100 {
            if try peer.request("GET", "/readyz").status == 503 { return true }
            Thread.pause(milliseconds: 10)
        }
        return false
    }

    @Test func `before a stop with a notice the server is not ready, and serves everybody as before`() throws {
        let server = try ServerProcess(data: folder.path, arguments: ["--stop-notice", "2s"])
        let (alice, _) = try open(server.port)
        let proxy = try HTTPPeer(port: server.port)
        #expect(try proxy.request("GET", "/readyz").status == 200)
        let clock = ContinuousClock()
        let start = clock.now
        server.signal(SIGTERM)
        #expect(try isNotReady(proxy))
        #expect(try proxy.request("GET", "/healthz").status == 200)
        #expect(try alice.ok(send(1))["n"] == 2)
        _ = try Chatter(port: server.port, token: ServerProcess.token("carol", data: folder.path))
        #expect(clock.now - start < .seconds(2), "all that was before the stop")
        #expect(alice.readToEnd() == .close(code: 4501, reason: "drain"))
        #expect(server.wait() == 0)
        #expect(clock.now - start >= .seconds(2))
        // A second signal is from somebody who does not want to wait.
        let again = try ServerProcess(data: folder.path, arguments: ["--stop-notice", "1m"])
        again.signal(SIGTERM)
        let peer = try HTTPPeer(port: again.port)
        #expect(try isNotReady(peer))
        again.signal(SIGTERM)
        #expect(again.wait() == 0)
    }

    @Test func `kill -9 under load loses, doubles and reorders nothing that was acknowledged`() throws {
        var server = try ServerProcess(data: folder.path)
        var (alice, bob) = try open(server.port)
        let tokens = try ["alice", "bob"].map { try ServerProcess.token($0, data: folder.path) }
        let epoch = bob.epoch
        var seen: [Int64] = []
        var seq: Int64 = 0
        var acknowledged: [Int: Int64] = [:]
        var unanswered: [Int] = []
        var count = 0
        for round in 0..<6 {
            let sent = unanswered + (count + 1...count + 150 + round * 7)
            count += 150 + round * 7
            for number in sent { try alice.post(send(number)) }
            // It is killed when some commands are answered and others are not.
            let goal = alice.messages.count + 40 + round * 13
            while alice.messages.count < goal { try alice.read() }
            server.signal(SIGKILL)
            #expect(server.wait() == -SIGKILL)
            alice.readToEnd()
            bob.readToEnd()
            let firstID = Int64(round == 0 ? 4 : 2)
            let replies = Dictionary(grouping: alice.messages) { $0["re"]?.integerValue ?? -1 }
            for (index, number) in sent.enumerated() {
                acknowledged[number] = replies[firstID + Int64(index)]?.first?["ok"]?["n"]?.integerValue
            }
            unanswered = sent.filter { acknowledged[$0] == nil }
            seen += bob.numbers
            seq = bob.messages.filter { $0["type"] != "live" }.compactMap { $0["seq"]?.integerValue }.last ?? seq
            try checkDatabase()
            server = try ServerProcess(data: folder.path)
            alice = try Chatter(port: server.port, token: tokens[0])
            bob = try Chatter(port: server.port, token: tokens[1], since: ["epoch": epoch, "seq": .integer(seq)])
            #expect(bob.epoch == epoch)
            #expect(!bob.messages.contains { $0["type"] == "reset" })
        }
        for number in unanswered { acknowledged[number] = try alice.ok(send(number))["n"]?.integerValue }
        while seen.count + bob.numbers.count < count + 1 { try bob.read() }
        #expect(seen + bob.numbers == Array(1...Int64(count + 1)))
        #expect(Set(acknowledged.values).count == count)
        let texts = try history(alice)
        for (number, n) in acknowledged { #expect(texts[n] == "m\(number)") }
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
    }

    /// The newest message of the only chat, after all senders have stopped.
    private func newest(in folder: String) throws -> Int64? {
        let server = try ServerProcess(data: folder)
        let alice = try Chatter(port: server.port, token: ServerProcess.token("alice", data: folder))
        let page = try alice.ok(["type": "history", "chat": "alice:bob", "limit": 1])
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
        return page["messages"]?.arrayValue?.last?["n"]?.integerValue
    }

    /// The chat's texts by their numbers.
    private func history(_ chatter: Chatter) throws -> [Int64: String] {
        var texts: [Int64: String] = [:]
        var after: Int64 = 0
        while true {
            let page = try chatter.ok([
                "type": "history", "chat": "alice:bob", "after": .integer(after), "limit": 200,
            ])
            for message in page["messages"]?.arrayValue ?? [] {
                guard let n = message["n"]?.integerValue else { continue }
                #expect(texts[n] == nil)
                texts[n] = message["text"]?.stringValue ?? ""
                after = n
            }
            guard page["next"] != nil else { return texts }
        }
    }

    /// SQLite's own tool finds nothing wrong; without the tool the check is left out.
    private func checkDatabase() throws {
        let tool = "/usr/bin/sqlite3"
        guard FileManager.default.isExecutableFile(atPath: tool) else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: tool)
        process.arguments = [folder.path + "/watchwise.db", "PRAGMA integrity_check"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(String(decoding: said, as: UTF8.self) == "ok\n")
    }
}
