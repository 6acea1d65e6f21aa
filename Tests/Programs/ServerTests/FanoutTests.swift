import Compression
import Configuration
import JSON
import Server
import TestSupport
import Testing

/// Many publications at once to readers of all kinds: each reader gets every one, in order, whatever the kind of write.
struct FanoutTests {
    private static let underWay = 64

    /// One publisher for each publication at the same time, each on a connection of its own.
    private struct Publishers {
        let peers: [HTTPPeer]
        let head: String

        init(on server: TestServer) throws {
            peers = try (0..<FanoutTests.underWay).map { _ in try HTTPPeer(port: server.port) }
            let token = try server.token("operator", isAdmin: true)
            head = "Host: localhost\r\nAuthorization: Bearer \(token)\r\nContent-Type: application/json\r\n"
        }

        /// - Returns: the newest position.
        func publish(to topic: String, round: Int, _ body: String) throws -> Int64 {
            for (number, peer) in peers.enumerated() {
                let json: JSONValue = [
                    "audience": .string(topic), "title": .string("\(round).\(number)"), "body": .string(body),
                ]
                let text = json.text
                try peer.socket.send(
                    "POST /v1/broadcasts HTTP/1.1\r\n\(head)Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
            }
            return try peers.map { peer in
                let answer = try peer.answer()
                #expect(answer.status == 202, "\(answer.text)")
                return try answer.json()["seq"]?.integerValue ?? 0
            }.max() ?? 0
        }
    }

    private func compressed(_ user: String, on server: TestServer) throws -> Device {
        let device = try server.connect(headers: [("Sec-WebSocket-Extensions", "permessage-deflate")])
        let inflater = Inflater()
        device.peer.inflate = { try inflater.decompress($0, bytesMax: 1 << 24) }
        try device.hello(token: server.token(user))
        _ = try device.event("live")
        return device
    }

    @Test func `plain, compressed, streamed, choosy and slow readers of one topic get the same, in order`() throws {
        // The slow reader answers no ping before it reads, however long the rounds take on this machine.
        let server = try TestServer { $0.heartbeatMilliseconds = 3_600_000 }
        defer { server.application.stop() }
        let topic = "station:fan"
        let follow: JSONValue = ["type": "follow", "topic": .string(topic)]
        var devices = try (0..<6).map { number in try server.device("plain-\(number)") }
        for number in 0..<3 { devices.append(try compressed("compressed-\(number)", on: server)) }
        for device in devices { try device.ok(follow) }
        // A reader with preferences gets a different version of some events: here of all, since this one wants no
        // interruption.
        let choosy = try server.device("choosy")
        try choosy.ok(follow)
        try choosy.ok(["type": "preferences", "set": ["mute": ["topics": [topic: true]]]])
        let slow = try server.connect(receiveBufferBytes: 65_536)
        try slow.hello(token: server.token("slow"))
        try slow.event("live")
        try slow.ok(follow)
        let streamed = try EventStreamPeer(server, token: server.token("plain-0"))
        try streamed.event("live")

        let admin = try server.admin()
        let publishers = try Publishers(on: server)
        let body = String(repeating: "what many read ", count: 60)
        var last: Int64 = 0
        var rounds = 0
        var isSlow = false
        while rounds < 4 || rounds < 120 && !isSlow {
            rounds += 1
            last = try publishers.publish(to: topic, round: rounds, body)
            for device in devices + [choosy] { try device.wait(forSeq: last) }
            isSlow = try admin.statistic("slow_sessions_total") == 1
        }
        #expect(isSlow, "the slow reader kept up")
        // A session that begins in the middle gets everything after its hello, as all others do.
        let late = try server.device("plain-1")
        last = try publishers.publish(to: topic, round: rounds + 1, body)
        for device in devices + [choosy, slow, late] { try device.wait(forSeq: last) }
        while (streamed.seqs.last ?? 0) < last { _ = try streamed.next() }

        let count = (rounds + 1) * Self.underWay
        func notifications(_ device: Device) -> [JSONValue] { device.durable.filter { $0["type"] == "notification" } }
        let expected = notifications(devices[0])
        #expect(Set(expected.compactMap { $0["title"]?.stringValue }).count == count)
        #expect(expected.count == count)
        for device in devices + [choosy, slow, late] {
            #expect(zip(device.seqs, device.seqs.dropFirst()).allSatisfy { $0 < $1 })
        }
        for device in devices + [slow] { #expect(notifications(device) == expected) }
        #expect(notifications(late) == expected.suffix(Self.underWay))
        #expect(notifications(choosy).map { $0["seq"] } == expected.map { $0["seq"] })
        #expect(notifications(choosy).allSatisfy { $0["alert"] == false && $0["reason"] == "muted" })
        #expect(streamed.seqs == expected.compactMap { $0["seq"]?.integerValue })
        // Counts come after the events that they count, for all publications.
        for device in devices + [slow] {
            try device.settle()
            let told = device.messages.last { $0["type"] == "unread" }
            #expect(told?["notifications"] == .integer(Int64(count)))
        }
    }

    @Test func `replies and events of many messages in one commit come in the order of positions`() throws {
        let server = try TestServer.shared.get()
        let pair = try server.pair()
        let ids = try (0..<50).map { number in
            try pair.alicePhone.post([
                "type": "send", "chat": .string(pair.chat), "text": "x", "key": .string("r\(number)"),
            ])
        }
        var last: Int64 = 0
        for id in ids { last = try pair.alicePhone.reply(to: id)["ok"]?["seq"]?.integerValue ?? last }
        for device in pair.all { try device.wait(forSeq: last) }
        // A reply comes after the event of its own position, and before the next event.
        let places = pair.alicePhone.messages.compactMap { message -> Int64? in
            guard message["type"] != "live", message["type"] != "beat" else { return nil }
            guard let id = message["re"]?.integerValue else { return (message["seq"]?.integerValue).map { $0 * 2 } }
            return ids.contains(id) ? (message["ok"]?["seq"]?.integerValue).map { $0 * 2 + 1 } : nil
        }
        #expect(places.count >= 100)
        #expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 })
        let numbers = pair.bobPhone.durable.filter { $0["text"] == "x" }.compactMap { $0["n"]?.integerValue }
        #expect(numbers == Array(2...51))
        #expect(pair.bobPhone.durable.suffix(50) == pair.bobLaptop.durable.suffix(50))
    }
}
