import Configuration
import EventLoop
import Foundation
import JSON
import Model
import Server
import Synchronization
import TestSupport
import Testing
import ThreadMessages

/// Three nodes with real loops: presence, typing, claims of devices, bounds of sessions, and who looks.
struct NodeSignalTests {
    /// Runs a test with three nodes of one beginning: alice and bob have a chat, and each follows the other.
    private func withNodes(
        connectionsPerUser: Int = 100, _ body: (SignalNet, SignalNode, SignalNode, SignalNode) throws -> Void
    ) throws {
        let beginning = TemporaryFolder()
        let server = try TestServer(in: beginning) { _ in }
        for (user, other) in [("alice", "bob"), ("bob", "alice")] {
            let device = try server.device(user, "first")
            try device.ok(["type": "follow", "topic": .string("user:\(other)")])
            try device.ok([
                "type": "recommend", "to": .string(other), "product": ["id": "movie/603"], "key": "open",
            ])
        }
        server.application.stop()
        let net = SignalNet()
        var nodes: [SignalNode] = []
        defer { for node in nodes { node.stop() } }
        for name in ["a", "b", "c"] {
            let folder = TemporaryFolder()
            try FileManager.default.copyItem(atPath: beginning.path, toPath: folder.path)
            nodes.append(try SignalNode(name, in: folder, on: net) { $0.connectionsPerUser = connectionsPerUser })
        }
        try body(net, nodes[0], nodes[1], nodes[2])
    }

    private static let watchBob: JSONValue = ["type": "presence", "watch": ["bob"]]

    /// Waits until a session sees bob online.
    private func waitForBob(seenBy device: Device) throws {
        try wait("bob is not seen online") { try device.ok(Self.watchBob) == ["online": ["bob"]] }
    }

    private func wait(_ problem: String, until isDone: () throws -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while try !isDone() {
            guard ContinuousClock.now < deadline else { throw TCPSocket.Failure(description: problem) }
            Thread.pause(milliseconds: 10)
        }
    }

    @Test func `presence is seen over nodes, and a user is offline when the last session of all nodes ends`() throws {
        try withNodes { _, a, b, c in
            let alice = try a.device("alice", "phone")
            #expect(try alice.ok(Self.watchBob) == ["online": []])
            let phone = try b.device("bob", "phone")
            #expect(try alice.event("presence") == ["type": "presence", "user": "bob", "online": true])
            let tablet = try c.device("bob", "tablet")
            let late = try c.device("alice", "late")
            try waitForBob(seenBy: late)
            let laptop = try a.device("bob", "laptop")
            phone.peer.socket.close()
            tablet.peer.socket.close()
            Thread.pause(milliseconds: 500)
            try alice.settle()
            #expect(alice.messages.count { $0["type"] == "presence" } == 1, "he is still there on her own node")
            laptop.peer.socket.close()
            let before = Date().timeIntervalSince1970
            let gone = try alice.event("presence")
            #expect(gone["online"] == false)
            let seen = try #require(Timestamp(gone["lastSeen"]?.stringValue ?? ""))
            #expect(abs(Double(seen.milliseconds) / 1000 - before) < 5)
            #expect(try late.event("presence")["online"] == false)
        }
    }

    @Test func `the users of a node that stops are offline at once`() throws {
        try withNodes { _, a, b, _ in
            let alice = try a.device("alice", "phone")
            try alice.ok(Self.watchBob)
            let bob = try b.device("bob", "phone")
            #expect(try alice.event("presence")["online"] == true)
            let began = ContinuousClock.now
            b.stop()
            #expect(try alice.event("presence")["online"] == false)
            #expect(ContinuousClock.now - began < .seconds(10))
            #expect(try bob.waitForEnd() != .end)
        }
    }

    @Test func `a lost change is mended, and a node that is heard no more loses its users`() throws {
        try withNodes { net, a, b, _ in
            let alice = try a.device("alice", "phone")
            let first = try b.device("bob", "phone")
            try waitForBob(seenBy: alice)
            net.silence("b", true)
            first.peer.socket.close()
            Thread.pause(milliseconds: 500)
            #expect(try alice.ok(Self.watchBob) == ["online": ["bob"]], "she has not heard that he is gone")
            net.silence("b", false)
            try wait("the change is not mended") { try alice.ok(Self.watchBob) == ["online": []] }
            _ = try alice.event("presence") { $0["online"] == false }
            let second = try b.device("bob", "phone")
            _ = try alice.event("presence") { $0["online"] == true }
            let heard = WallClockTime.now
            net.silence("b", true)
            try wait("the node is not given up") { try alice.ok(Self.watchBob) == ["online": []] }
            let gone = try alice.event("presence") { $0["online"] == false }
            let seen = try #require(Timestamp(gone["lastSeen"]?.stringValue ?? ""))
            #expect(abs(seen.milliseconds - heard) < 5_000, "when the node was last heard")
            #expect(WallClockTime.now - heard > 10_000)
            try second.settle()
        }
    }

    @Test func `typing reaches the other's devices on every node once, and no stranger`() throws {
        try withNodes { _, a, b, c in
            let alice = try a.device("alice", "phone")
            let devices = [try a.device("bob", "a"), try b.device("bob", "b"), try c.device("bob", "c")]
            let other = try b.device("alice", "laptop")
            try waitForBob(seenBy: alice)
            // A node sends others nothing before it has heard of one.
            try wait("nobody hears of the typing") {
                try alice.ok(["type": "typing", "chat": "alice:bob", "on": true])
                try devices[2].settle()
                return devices[2].messages.contains { $0["type"] == "typing" }
            }
            for device in devices {
                let event = try device.event("typing")
                #expect(event == ["type": "typing", "chat": "alice:bob", "user": "alice", "on": true])
            }
            try other.settle()
            #expect(!other.messages.contains { $0["type"] == "typing" })
        }
    }

    @Test func `the later session of a device ends the earlier one, on whatever nodes they are`() throws {
        try withNodes { _, a, b, c in
            var before = try a.device("alice", "phone")
            let laptop = try a.device("alice", "laptop")
            for node in [b, c, a, a, b] {
                let next = try node.device("alice", "phone")
                guard case .close(let code, _) = try before.waitForEnd() else {
                    Issue.record("the earlier session ended without a code")
                    return
                }
                #expect(code == 4409)
                before = next
            }
            try before.settle()
            try laptop.settle()
        }
    }

    @Test func `sessions on other nodes count among those that a user may have`() throws {
        try withNodes(connectionsPerUser: 3) { _, a, b, c in
            let first = try a.device("alice", "1")
            let second = try b.device("alice", "2")
            let third = try b.device("alice", "3")
            let hello = Device.helloCommand(token: try c.token("alice"), device: "4")
            try wait("the fourth session is let in") {
                let fourth = try c.connect()
                let reply = try fourth.reply(to: fourth.post(hello))
                fourth.peer.socket.close()
                return reply["error"]?["code"] == "too-many"
            }
            let bob = try c.device("bob", "1")
            second.peer.socket.close()
            let again = try c.connect()
            try wait("the place of a session that has ended stays taken") {
                try again.reply(to: again.post(hello))["ok"] != nil
            }
            for device in [first, third, bob] { try device.settle() }
        }
    }

    @Test func `the sender of pushes hears who looks on other nodes, and waits for nobody else`() throws {
        try withNodes { net, a, b, c in
            let answers = Mutex<[[LookingSession]]>([])
            let push = a.mail.push
            let thread = try LoopThread.start(named: "pushes") { loop in
                _ = try push?.open(
                    taking: { batch in
                        for case .lookedElsewhere(_, let sessions) in batch { answers.withLock { $0.append(sessions) } }
                        batch.removeAll()
                    }, on: loop)
            }
            defer {
                thread.stop()
                thread.join()
            }
            var number: Int64 = 0
            func ask() throws -> [LookingSession] {
                number += 1
                let users = (2...9).map { StreamID(stored: $0) }
                let asked = ContinuousClock.now
                a.mail.cluster?.post(.signal(.looking(PushQuestion(number: number, users: users))))
                try wait("no answer who looks") { answers.withLock { $0.count == Int(number) } }
                #expect(ContinuousClock.now - asked < .seconds(2))
                return answers.withLock { $0.last ?? [] }
            }
            #expect(try ask().isEmpty)
            let tv = try b.device("bob", "tv")
            try tv.ok(["type": "focus", "on": true, "chat": "alice:bob"])
            let phone = try c.device("alice", "phone")
            try wait("the sessions are not named") { try ask().count == 2 }
            let session = try #require(try ask().first { $0.device == "tv" })
            #expect(session.focus == true && session.chat == ChatID("alice:bob"))
            net.silence("c", true)
            #expect(try ask().map(\.device) == ["tv"], "a node that does not answer counts as looking at nothing")
            try phone.settle()
        }
    }
}

/// The machine's clock in milliseconds.
///
/// - Confinement: any
private enum WallClockTime {
    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
