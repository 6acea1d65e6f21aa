import JSON
import Model
import TestSupport
import Testing
import ThreadMessages

/// `focus`, and what the loops answer when the sender of pushes asks who looks at a device.
struct LookingTests {
    /// Runs a test with a server, and ends that.
    private func withAsker(_ body: (PushAsker) throws -> Void) throws {
        let asker = try PushAsker()
        defer { asker.end() }
        try body(asker)
    }

    @Test func `a device that never said focus counts as looked at when it has acknowledged something`() throws {
        try withAsker { asker in
            let tablet = try asker.server.device("alice", "tablet")
            try tablet.ok(["type": "follow", "topic": "station:1"])
            try tablet.ok(["type": "follow", "topic": "station:2"])
            let before = try asker.session(of: "tablet")
            #expect(before.acked == .zero && before.focus == nil && before.chat == nil)
            let seq = try #require(tablet.seqs.last)
            try tablet.ok(["type": "ack", "seq": .integer(seq - 1)])
            #expect(try asker.session(of: "tablet").acked == Position(seq - 1))
            try tablet.ok(["type": "ack", "seq": .integer(seq)])
            try tablet.ok(["type": "ack", "seq": 1])
            let after = try asker.session(of: "tablet")
            #expect(after.acked == Position(seq) && after.focus == nil)
        }
    }

    @Test func `an ack beyond the sent events counts for the sent ones`() throws {
        try withAsker { asker in
            let tablet = try asker.server.device("alice", "tablet")
            try tablet.ok(["type": "follow", "topic": "station:1"])
            try tablet.ok(["type": "ack", "seq": 9_000_000_000_000_000])
            #expect(try asker.session(of: "tablet").acked.value == tablet.seqs.last)
            try tablet.ok(["type": "follow", "topic": "station:2"])
            #expect(try asker.session(of: "tablet").acked.value == tablet.seqs.dropLast().last)
        }
    }

    @Test func `focus shows who looks, and the chat, for every acknowledged position`() throws {
        try withAsker { asker in
            let tablet = try asker.server.device("alice", "tablet")
            #expect(try tablet.ok(["type": "focus", "on": true, "chat": "alice:bob"]) == [:])
            let on = try asker.session(of: "tablet")
            #expect(on.focus == true && on.chat == ChatID("alice:bob") && on.acked == .zero)
            try tablet.ok(["type": "focus", "on": true])
            #expect(try asker.session(of: "tablet").chat == nil)
            try tablet.ok(["type": "follow", "topic": "station:1"])
            try tablet.ok(["type": "ack", "seq": .integer(#require(tablet.seqs.last))])
            try tablet.ok(["type": "focus", "on": false, "chat": "alice:bob"])
            let off = try asker.session(of: "tablet")
            #expect(off.focus == false && off.chat == nil && off.acked.value == tablet.seqs.last)
        }
    }

    @Test func `the focus of a session ends with the session, even when the device connects again`() throws {
        try withAsker { asker in
            let first = try asker.server.device("alice", "tablet")
            try first.ok(["type": "focus", "on": true, "chat": "alice:bob"])
            let again = try asker.server.device("alice", "tablet")
            _ = try first.waitForEnd()
            let session = try asker.session(of: "tablet")
            #expect(session.focus == nil && session.chat == nil)
            again.peer.socket.close()
            let deadline = ContinuousClock.now + .seconds(10)
            while try !asker.sessions(of: "tablet").isEmpty, ContinuousClock.now < deadline {}
            #expect(try asker.sessions(of: "tablet").isEmpty)
        }
    }

    @Test func `every loop answers with its own sessions, of the asked users alone`() throws {
        try withAsker { asker in
            // The kernel chooses the loop of a connection.
            var devices: [Device] = []
            var answers: [PushLooking] = []
            while devices.count < 100, answers.isEmpty || answers.contains(where: { $0.sessions.isEmpty }) {
                devices.append(try asker.server.device("alice", "tablet-\(devices.count)"))
                answers = try asker.ask()
            }
            let bob = try asker.server.device("bob", "phone")
            try bob.ok(["type": "focus", "on": true])
            for device in devices { try device.ok(["type": "focus", "on": true]) }
            let all = try asker.ask()
            #expect(all.map(\.loop) == [0, 1])
            #expect(all.allSatisfy { !$0.sessions.isEmpty && $0.sessions.allSatisfy { $0.focus == true } })
            let alice = try #require(all.flatMap(\.sessions).first { $0.device == "tablet-0" }).user
            let asked = try asker.ask([alice])
            let names = Set(asked.flatMap(\.sessions).map(\.device))
            #expect(names == Set(devices.indices.map { "tablet-\($0)" }))
            #expect(try asker.ask([]).map(\.sessions) == [[], []])
            #expect(try asker.ask([.everyone]).map(\.sessions) == [[], []])
        }
    }

    @Test func `focus needs a hello, and an id for its reply`() throws {
        try withAsker { asker in
            let device = try asker.server.connect()
            #expect(try device.refused(["type": "focus", "on": true])["code"] == "unauthenticated")
            try device.hello(token: asker.server.token("alice"), device: "tablet")
            try device.peer.send(#"{"type":"focus","on":true}"#)
            try device.ok(["type": "ping"])
            #expect(device.messages.filter { $0["re"] != nil }.count == 3)
            #expect(try asker.session(of: "tablet").focus == true)
        }
    }
}
