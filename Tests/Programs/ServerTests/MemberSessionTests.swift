import Authentication
import ClientProtocol
import EventLoop
import Execution
import Foundation
import JSON
import Model
import Services
import Telemetry
import TestSupport
import Testing
import ThreadMessages

/// Sessions on a node that may lag the others.
@Suite struct MemberSessionTests {
    /// A point of a node's log.
    private func point(_ epoch: JSONValue?, _ seq: Int64) -> JSONValue {
        ["epoch": epoch ?? .null, "seq": .integer(seq)]
    }

    private func milliseconds(_ body: () throws -> Void) rethrows -> Int64 {
        let began = ContinuousClock.now
        try body()
        return Int64((ContinuousClock.now - began) / .milliseconds(1))
    }

    private func withNode(isMember: Bool = true, _ test: (MemberNode) throws -> Void) throws {
        let node = try MemberNode(secret: ServerSecret(), isMember: isMember)
        defer { node.stop() }
        try test(node)
    }

    private func put(_ number: Int, by admin: Admin) throws -> Int64 {
        let body: JSONValue = ["audience": "person:525", "title": .string("\(number)")]
        let answer = try admin.call("POST", "/v1/broadcasts", body)
        guard answer.status == 202 else { throw TCPSocket.Failure(description: answer.text) }
        return try admin.head()
    }

    // MARK: A resume beyond the head

    @Test func `a client that has seen more waits until the node has it, and is sent what follows`() throws {
        try withNode { node in
            let fan = try node.device("alice", "phone")
            let followed = try fan.ok(["type": "follow", "topic": "person:525"])["seq"]?.integerValue ?? 0
            let hello = Device(try WebSocketPeer(port: node.port))
            let ok = try hello.hello(token: node.token("carol"))
            let head = try node.admin().head()
            // Two more broadcasts are to come; the client has seen the first of them on another node.
            let session = Device(try WebSocketPeer(port: node.port))
            let seen = head + 1
            let id = try session.post(
                Device.helloCommand(token: node.token("alice"), device: "tablet", since: point(ok["epoch"], seen)))
            let early = Device(try WebSocketPeer(port: node.port))
            let all = try early.post(
                Device.helloCommand(token: node.token("alice"), device: "desk", since: point(ok["epoch"], followed)))
            // The one that has seen less does not wait for the other.
            #expect(try early.reply(to: all)["ok"] != nil)
            let admin = try node.admin()
            let first = try put(1, by: admin)
            let second = try put(2, by: admin)
            #expect(first >= seen)
            let answer = try session.reply(to: id)
            let seq = try #require(answer["ok"]?["seq"]?.integerValue)
            #expect(seq >= seen, "its position never goes back: \(answer.text)")
            _ = try session.event("live")
            try session.wait(forSeq: second)
            #expect(session.seqs.allSatisfy { $0 > seen }, "\(session.seqs)")
            #expect(!session.messages.contains { $0["type"] == "reset" })
        }
    }

    @Test func `a node that does not come there in time tells the client to read everything`() throws {
        try withNode { node in
            let ok = try Device(WebSocketPeer(port: node.port)).hello(token: node.token("alice"))
            let session = Device(try WebSocketPeer(port: node.port))
            let took = try milliseconds {
                _ = try session.hello(token: node.token("alice"), since: point(ok["epoch"], 1_000_000))
            }
            #expect((4_900...7_000).contains(took), "\(took) ms")
            #expect(try session.event("reset")["reason"] == "epoch")
            _ = try session.event("live")
            #expect(try session.ok(["type": "follow", "topic": "person:1"])["seq"] != nil)
        }
    }

    @Test func `a node that is alone, and a point of another epoch, wait for nothing`() throws {
        for isMember in [true, false] {
            try withNode(isMember: isMember) { node in
                let ok = try Device(WebSocketPeer(port: node.port)).hello(token: node.token("alice"))
                let since = isMember ? point("other", 1_000_000) : point(ok["epoch"], 1_000_000)
                let session = Device(try WebSocketPeer(port: node.port))
                let took = try milliseconds { _ = try session.hello(token: node.token("alice"), since: since) }
                #expect(took < 2_000, "\(took) ms")
                #expect(try session.event("reset")["reason"] == "epoch")
            }
        }
    }

    @Test func `a hello from beyond the delivered events waits until its loop has delivered them`() throws {
        try withNode { node in
            let fan = try node.device("alice", "phone")
            try fan.ok(["type": "follow", "topic": "person:525"])
            let ok = try Device(WebSocketPeer(port: node.port)).hello(token: node.token("alice"))
            let admin = try node.admin()
            let head = try admin.head()
            node.holdCommits()
            let more = try writing(node, admin)
            let session = Device(try WebSocketPeer(port: node.port))
            let id = try session.post(
                Device.helloCommand(token: node.token("alice"), device: "tablet", since: point(ok["epoch"], head + 1)))
            Thread.pause(milliseconds: 300)
            node.letCommitsCome()
            #expect(try session.reply(to: id)["ok"]?["seq"]?.integerValue ?? 0 > head)
            _ = try session.event("live")
            #expect(try more.answer().status == 202)
        }
    }

    /// Sends a broadcast, and does not wait for the answer.
    private func writing(_ node: MemberNode, _ admin: Admin) throws -> HTTPPeer {
        let peer = try HTTPPeer(port: node.port)
        let body = #"{"audience":"person:525","title":"T"}"#
        try peer.socket.send(
            "POST /v1/broadcasts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(admin.token ?? "")\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return peer
    }

    @Test func `Last-Event-ID waits in the same way, and so does watch`() throws {
        try withNode { node in
            let admin = try node.admin()
            let watcher = Device(try WebSocketPeer(port: node.port))
            let ok = try watcher.hello(token: node.token("alice"))
            let rules: JSONValue = ["rules": ["products/{id}": ["read": "anyone"]]]
            #expect(try admin.call("PUT", "/v1/rules", rules).status == 200)
            #expect(try admin.call("PUT", "/v1/documents/products/1", ["a": 1]).status == 200)
            _ = try watcher.ok(["type": "watch", "path": "products/1"])
            let head = try admin.head()
            let epoch = try #require(ok["epoch"]?.stringValue)
            let id = try watcher.post([
                "type": "watch", "path": "products/1", "since": point(.string(epoch), head + 1),
            ])
            let open = try EventStreamPeer(
                port: node.port, "/v1/events?inbox=off&watch=products/1", token: nil,
                headers: [("Last-Event-ID", "\(epoch).\(head + 1)")])
            let own = try EventStreamPeer(
                port: node.port, token: node.token("alice"), headers: [("Last-Event-ID", "\(epoch).\(head + 1)")])
            Thread.pause(milliseconds: 200)
            #expect(open.events.isEmpty)
            for number in 1...2 {
                #expect(try admin.call("PUT", "/v1/documents/products/1", ["a": .integer(Int64(number))]).status == 200)
            }
            #expect(try watcher.reply(to: id)["ok"]?["reset"] == nil)
            for stream in [open, own] {
                _ = try stream.event("live")
                #expect(!stream.events.contains { $0.type == "reset" })
            }
        }
    }

    @Test func `the watch of a path that is logged no more ends, and begins again`() throws {
        try withNode { node in
            let session = try node.device("alice", "phone")
            let admin = try node.admin()
            let rules: JSONValue = ["rules": ["products/{id}": ["read": "anyone"]]]
            #expect(try admin.call("PUT", "/v1/rules", rules).status == 200)
            _ = try session.ok(["type": "watch", "path": "products/1"])
            try session.ok(["type": "follow", "topic": "t:newest"])
            // As the leading node does it, which does not know what the sessions of this one watch.
            let sweep = WriteRequest(
                actor: .server, at: Timestamp(milliseconds: 0),
                useCase: SweepStreams(after: .nobody, watched: WatchedPaths()))
            node.mail.writer.post(.write(WriteOrder(address: nil, ticket: .none, request: sweep)))
            let end = try session.event("unwatched")
            #expect(end["path"] == "products/1" && end["reason"] == "unavailable")
            #expect(try session.ok(["type": "watch", "path": "products/1"])["documents"] == [])
            #expect(try admin.call("PUT", "/v1/documents/products/1", ["a": 2]).status == 200)
            #expect(try session.event("document")["data"] == ["a": 2])
        }
    }

    @Test func `a request, and a hello, that name a write of another node wait until this node has it`() throws {
        try withNode { node in
            let admin = try node.admin()
            let write = try admin.call("PUT", "/v1/documents/products/1", ["a": 1])
            let written = try #require(write.headers["read-after"])
            #expect(written.hasSuffix(".\(try admin.head())"))
            let person = Admin(try HTTPPeer(port: node.port), token: try node.token("bob"))
            let command = try person.call("POST", "/v1/commands", ["type": "follow", "topic": "person:1"])
            #expect(command.headers["read-after"]?.hasSuffix(".\(try admin.head())") == true)
            #expect(try admin.call("GET", "/v1/documents/products/1").headers["read-after"] == nil, "only of writes")
            let head = try admin.head()
            let epoch = try #require(written.split(separator: ".").first)
            func reading(after text: String) throws -> HTTPPeer {
                let peer = try HTTPPeer(port: node.port)
                try peer.socket.send(
                    "GET /v1/documents/products/1 HTTP/1.1\r\nHost: localhost\r\nRead-After: \(text)\r\n"
                        + "Authorization: Bearer \(admin.token ?? "")\r\n\r\n")
                return peer
            }
            for here in [written, "\(head)", "another.\(head + 9)"] {
                #expect(try reading(after: here).answer().json()["version"] == 1, "\(here)")
            }
            let waiting = try ["\(epoch).\(head + 1)", "\(head + 1)"].map(reading)
            let gone = try reading(after: "\(head + 1)")
            gone.socket.close()
            let session = Device(try WebSocketPeer(port: node.port))
            let id = try session.post([
                "type": "hello", "token": .string(try node.token("alice")),
                "readAfter": point(.string(String(epoch)), head + 1),
            ])
            Thread.pause(milliseconds: 300)
            let second = try admin.call("PUT", "/v1/documents/products/1", ["a": 2])
            #expect(second.headers["read-after"] == "\(epoch).\(head + 1)")
            for peer in waiting { #expect(try peer.answer().json()["version"] == 2) }
            #expect(try session.reply(to: id)["ok"]?["seq"]?.integerValue ?? 0 > head)
            #expect(!session.messages.contains { $0["type"] == "reset" })
            // A node that lacks entries asks the client to try another one; one that has all has another history.
            var facts = facts(lag: 10)
            node.standing.set(facts)
            let far = try reading(after: "\(head + 1_000)")
            let answer = try far.answer()
            #expect(answer.status == 503 && answer.headers["retry-after"] != nil)
            facts = self.facts()
            node.standing.set(facts)
            #expect(try reading(after: "\(head + 1_000)").answer().status == 200)
            let wrong = try reading(after: "yesterday").answer()
            #expect(try wrong.status == 400 && wrong.json()["field"] == "Read-After")
        }
        try withNode(isMember: false) { node in
            let admin = try node.admin()
            // A server that is alone has all writes of its clients.
            let write = try admin.call("PUT", "/v1/documents/products/1", ["a": 1])
            #expect(write.status == 200 && write.headers["read-after"] == nil)
        }
    }

    @Test func `clients that leave while they wait take nothing with them`() throws {
        try withNode { node in
            let ok = try Device(WebSocketPeer(port: node.port)).hello(token: node.token("alice"))
            let head = try node.admin().head()
            for _ in 0..<50 {
                let session = Device(try WebSocketPeer(port: node.port))
                try session.post(
                    Device.helloCommand(token: node.token("alice"), since: point(ok["epoch"], head + 1)))
                session.peer.socket.close()
            }
            let fan = try node.device("alice", "phone")
            try fan.ok(["type": "follow", "topic": "person:525"])
            _ = try put(1, by: node.admin())
            _ = try fan.event("notification")
        }
    }

    // MARK: While nobody leads

    @Test func `new users who wait to be registered keep nobody else from beginning`() throws {
        try withNode { node in
            _ = try node.device("alice", "phone")
            node.holdWrites()
            let count = 2 * Limits.startsInWorkMax
            let new = try (0..<count).map { _ in Device(try WebSocketPeer(port: node.port)) }
            let ids = try new.enumerated().map { index, session in
                try session.post(Device.helloCommand(token: node.token("new\(index)"), device: "d"))
            }
            _ = try node.orders.element(count)
            let took = try milliseconds { _ = try node.device("alice", "laptop") }
            #expect(took < 3_000, "\(took) ms")
            node.letWritesGo()
            for (session, id) in zip(new, ids) { #expect(try session.reply(to: id)["ok"] != nil) }
        }
    }

    // MARK: A node that lags too much

    private func facts(lag: Int64 = 0, cutOff: Int64? = nil, _ role: NodeStanding.Role = .following)
        -> NodeStanding.Facts
    {
        var facts = NodeStanding.Facts()
        facts.role = role
        facts.lagMilliseconds = lag
        if let cutOff { (facts.unprovedMilliseconds, facts.hearsOthers) = (cutOff, false) }
        return facts
    }

    @Test func `a node that lags takes no sessions, and serves those that it has`() throws {
        try withNode { node in
            let session = try node.device("alice", "phone")
            let early = Device(try WebSocketPeer(port: node.port))
            node.standing.set(facts(lag: 5_001))
            for target in ["/v1/ws", "/v1/events"] {
                let answer = try Admin(HTTPPeer(port: node.port), token: node.token("bob")).call("GET", target)
                #expect(answer.status == 503, "\(target)")
                #expect(answer.headers["retry-after"] != nil)
                #expect(try answer.json()["class"] == "retry", "\(answer.text)")
            }
            // A connection from before is sent on by its hello.
            try early.post(Device.helloCommand(token: node.token("carol")))
            #expect(try early.event("bye")["code"] == 4503)
            try session.ok(["type": "follow", "topic": "person:1"])
            node.standing.set(facts(lag: 4_999, cutOff: 1_999))
            _ = try node.device("bob")
            try session.ok(["type": "ping"])
        }
    }

    @Test(
        arguments: [(15_001, nil, .following), (0, 15_000, .leading), (0, nil, .stopped)]
            as [(Int64, Int64?, NodeStanding.Role)])
    func `the sessions of a node that lags too much go to others, not all at once`(
        _ lag: Int64, _ cutOff: Int64?, _ role: NodeStanding.Role
    ) throws {
        try withNode { node in
            let sessions = try (0..<10).map { try node.device("user\($0)") }
            let stream = try EventStreamPeer(port: node.port, token: node.token("alice"))
            _ = try stream.event("live")
            node.standing.set(facts(lag: lag, cutOff: cutOff, role))
            var ends: [Int64] = []
            for session in sessions {
                ends.append(
                    try milliseconds {
                        let bye = try session.event("bye")
                        #expect(bye["code"] == 4503)
                        #expect(bye["reconnectInMs"]?.integerValue ?? 0 >= 1000)
                    })
            }
            #expect(try stream.event("bye").json()["code"] == 4503)
            let all = ends.reduce(0, +)
            #expect((2_000...9_000).contains(all), "they ended within \(all) ms")
            node.standing.set(facts())
            _ = try node.device("alice")
        }
    }
}
