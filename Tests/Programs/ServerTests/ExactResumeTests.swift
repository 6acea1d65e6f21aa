import Configuration
import Foundation
import JSON
import Model
import Server
import Telemetry
import TestSupport
import Testing

/// People who do everything that causes events, at random, each with a device that stays connected.
private struct LiveRun {
    let server: TestServer
    let names: [String]
    var recorders: [Device] = []
    var streams: [EventStreamPeer] = []
    /// A second device of each person, which performs the actions.
    private var actors: [Device] = []
    private let admin: Admin
    private var random: SeededRandom
    private var broadcasts: [String] = []
    private var step = 0

    init(_ server: TestServer, seed: UInt64) throws {
        self.server = server
        random = SeededRandom(seed: seed)
        names = ["x", "y", "z"].map { server.name($0) }
        admin = try server.admin()
        for name in names {
            recorders.append(try server.device(name, "recorder"))
            streams.append(try EventStreamPeer(server, token: server.token(name)))
            try streams.last?.event("live")
            actors.append(try server.device(name, "actor"))
        }
    }

    private mutating func one<Element>(of list: [Element]) -> Element {
        list[Int.random(in: 0..<list.count, using: &random)]
    }

    /// Refusals are part of it, for example of a message to somebody who is not followed.
    mutating func act() throws {
        step += 1
        let index = Int.random(in: 0..<names.count, using: &random)
        let other = one(of: names.filter { $0 != names[index] })
        let chat = JSONValue.string([names[index], other].sorted().joined(separator: ":"))
        let key = JSONValue.string("k\(step)")
        let topics = ["person:\(names[0])", "series:\(names[0])", "user:\(other)"].map { JSONValue.string($0) }
        switch Int.random(in: 0..<15, using: &random) {
        case 0: try command(["type": "send", "to": .string(other), "text": "hello", "key": key], index)
        case 1:
            try command(["type": "recommend", "to": .string(other), "product": ["id": "movie/1"], "key": key], index)
        case 2: try command(["type": "read", "chat": chat, "n": .integer(one(of: [1, 2, 3, 5, 8]))], index)
        case 3, 4: try command(["type": "follow", "topic": one(of: topics)], index)
        case 5: try command(["type": "unfollow", "topic": one(of: topics)], index)
        case 6: try command(["type": "seen", "upTo": .integer(recorders[index].seqs.last ?? 0)], index)
        case 7: try command(["type": "ack", "seq": .integer(actors[index].seqs.last ?? 0)], index)
        case 8:
            let documents = ["people/\(names[0])/credits/movie/\(step)", "reviews/\(names[0])-\(step)"]
            let path = one(of: documents)
            // Yesterday at nine is past in all zones.
            let yesterday = String(WallClock.system.now().adding(milliseconds: -86_400_000).text.prefix(10))
            let data: JSONValue = [
                "job": "Director", "title": "T", "releaseDate": .string(yesterday), "author": .string(other),
                "text": "good",
            ]
            _ = try admin.call("PUT", "/v1/documents/\(path)", data)
        case 9 where !broadcasts.isEmpty: _ = try admin.call("DELETE", "/v1/broadcasts/\(one(of: broadcasts))")
        case 12, 13: try command(["type": "preferences", "set": one(of: choices)], index)
        case 14:
            let ids = recorders[index].durable.filter { $0["type"] == "notification" }.compactMap { $0["id"] }
            guard !ids.isEmpty else { return }
            guard step.isMultiple(of: 2) else {
                return try command(["type": "archive", "ids": [one(of: ids)]], index)
            }
            let until = JSONValue.string(WallClock.system.now().adding(milliseconds: 700).text)
            try command(["type": "snooze", "ids": [one(of: ids)], "until": until], index)
        default: try broadcast(one(of: ["user:\(other)", "person:\(names[0])", "series:\(names[0])", "everyone"]))
        }
    }

    /// The preferences that people choose and reset.
    private var choices: [JSONValue] {
        let now = WallClock.system.now()
        func time(_ span: Int64) -> JSONValue { .string(now.adding(milliseconds: span).text) }
        func minute(_ span: Int64) -> JSONValue {
            .string(String(now.adding(milliseconds: span).text.dropFirst(11).prefix(5)))
        }
        return [
            ["mute": ["topics": ["person:\(names[0])": true]]], ["mute": ["all": time(300)]],
            ["mute": nil], ["quietHours": ["from": minute(-60_000), "to": minute(60_000)]], ["quietHours": nil],
            ["digest": ["broadcast": ["every": 60]]], ["digest": ["broadcast": "daily 12:00"]], ["digest": nil],
            ["levels": ["critical"]], ["levels": nil],
        ]
    }

    private func command(_ command: JSONValue, _ index: Int) throws {
        _ = try actors[index].reply(to: actors[index].post(command))
    }

    private mutating func broadcast(_ audience: String) throws {
        var body: JSONValue = ["audience": .string(audience), "title": .string("n\(step)")]
        if Bool.random(using: &random) { body["collapse"] = .string(one(of: ["a", "b"])) }
        if Int.random(in: 0..<4, using: &random) == 0 {
            body["expires"] = .string(WallClock.system.now().adding(milliseconds: 700).text)
        }
        if let id = try admin.call("POST", "/v1/broadcasts", body).json()["id"]?.stringValue { broadcasts.append(id) }
    }

    /// Brings every recorder to one position after all others: that of a follow of its own.
    mutating func settle() throws {
        step += 1
        for (index, actor) in actors.enumerated() {
            let topic = JSONValue.string("station:\(names[index])-\(step)")
            let seq = try actor.ok(["type": "follow", "topic": topic])["seq"]?.integerValue ?? 0
            try recorders[index].wait(forSeq: seq)
            while (streams[index].seqs.last ?? 0) < seq { _ = try #require(try streams[index].next()) }
        }
    }
}

extension Device {
    /// The log entries that it received after a position, up to another one, byte by byte.
    fileprivate func log(after seq: Int64, upTo last: Int64) -> [String] {
        zip(texts, messages).filter { _, message in
            guard let position = message["seq"]?.integerValue else { return false }
            return position > seq && position <= last && message["type"] != "live" && message["type"] != "beat"
        }.map(\.0)
    }

    /// Waits for another beat, and compares it with the events before it.
    fileprivate func checkBeat() throws {
        let beat = try event("beat")
        let index = try #require(messages.lastIndex(of: beat))
        let before = messages[..<index].count {
            $0["seq"] != nil && $0["type"] != "live" && $0["type"] != "beat"
        }
        #expect(beat["events"] == .integer(Int64(before)))
    }
}

struct ExactResumeTests {
    @Test(arguments: [1, 2, 3])
    func `from every position a device gets exactly what one that stayed connected got`(seed: UInt64) throws {
        let server = try TestServer { $0.heartbeatMilliseconds = 2000 }
        defer { server.application.stop() }
        var run = try LiveRun(server, seed: seed)
        let epoch = try run.recorders[0].hello(token: server.token(run.names[0]), device: "recorder")["epoch"]
        var settled = ContinuousClock.now
        for step in 1...260 {
            try run.act()
            // They answer pings only while they read.
            guard step.isMultiple(of: 10) || ContinuousClock.now - settled > .seconds(1) else { continue }
            try run.settle()
            settled = .now
        }
        // So long that expired notifications are removed.
        Thread.pause(milliseconds: 2000)
        try run.settle()
        // The devices are compared up to the position that all recorders have read. Later on, digests may be due: at the
        // end of quiet hours, or a minute after they began.
        let lasts = try run.recorders.map { try #require($0.seqs.last) }
        var resumed: [Device] = []
        for (index, recorder) in run.recorders.enumerated() {
            let (name, last) = (run.names[index], lasts[index])
            #expect(recorder.seqs.count > 40)
            #expect(recorder.durable.contains { $0["alert"] == false })
            for since in [0, 1] + recorder.seqs {
                let device = try server.connect()
                try device.hello(
                    token: server.token(name),
                    since: ["epoch": epoch ?? .null, "seq": .integer(since)]
                )
                try device.event("live")
                let expected = recorder.log(after: since, upTo: last)
                let found = device.log(after: 0, upTo: last)
                guard found == expected else {
                    let difference = found.difference(from: expected)
                    Issue.record("seed \(seed): \(name) after \(since) of \(last): \(difference)")
                    return
                }
                resumed.append(device)
            }
        }
        for device in resumed.suffix(5) + run.recorders { try device.checkBeat() }
        for (index, stream) in run.streams.enumerated() {
            let last = lasts[index]
            let ofLog = stream.events.filter { $0.id != nil && $0.type != "live" && $0.type != "beat" }
            let data = try ofLog.filter { try $0.json()["seq"]?.integerValue ?? 0 <= last }.map(\.data)
            #expect(data == run.recorders[index].log(after: 0, upTo: last))
            var beat = try stream.event("beat")
            while try beat.json()["events"] != .integer(Int64(stream.seqs.count)) { beat = try stream.event("beat") }
        }
    }

    @Test func `a beat counts right after a slow reader has caught up, too`() throws {
        let server = try TestServer { $0.heartbeatMilliseconds = 3000 }
        defer { server.application.stop() }
        let pair = try server.pair()
        let slow = try server.connect(receiveBufferBytes: 65_536)
        try slow.hello(token: server.token(pair.bob))
        try slow.event("live")
        let text = JSONValue.string(String(repeating: "x", count: 3900))
        var last: Int64 = 0
        for portion in 0..<14 {
            let ids = try (0..<100).map { number in
                try pair.alicePhone.post([
                    "type": "send", "chat": .string(pair.chat), "text": text, "key": .string("s\(portion).\(number)"),
                ])
            }
            for id in ids { last = try pair.alicePhone.reply(to: id)["ok"]?["seq"]?.integerValue ?? last }
        }
        #expect((try server.admin().statistic("slow_sessions_total") ?? 0) > 0)
        try slow.wait(forSeq: last)
        try slow.checkBeat()
        try pair.alicePhone.ok(["type": "send", "chat": .string(pair.chat), "text": "more", "key": "more"])
        try slow.event("message") { $0["key"] == "more" }
        try slow.checkBeat()
    }
}

/// `log-retention`, as a running server keeps it.
struct RetentionTests {
    @Test func `old entries are trimmed, and a device that stopped before them fetches its state again`() throws {
        let server = try TestServer { $0.retention.log = 1500 }
        defer { server.application.stop() }
        let pair = try server.pair()
        let admin = try server.admin()
        let hello = try pair.bobPhone.hello(token: server.token(pair.bob), device: "phone")
        let point = { (seq: Int64) -> JSONValue in ["epoch": hello["epoch"] ?? .null, "seq": .integer(seq)] }
        // The newest entry stays. A slow machine writes the others over a longer time, and trims them in several steps.
        for _ in 0..<600 where try admin.statistic("log_entries") != 1 { Thread.pause(milliseconds: 100) }
        let head = try admin.head()
        try #require(try admin.statistic("log_retained_from") == head - 1)
        #expect(try admin.statistic("log_entries") == 1)
        #expect(try admin.statistic("log_trimmed_total") ?? 0 > 0)
        let late = try server.connect()
        try late.hello(token: server.token(pair.bob), since: point(head - 2))
        #expect(try late.event("reset")["reason"] == "retention")
        #expect(try late.event("live")["seq"] == .integer(head))
        #expect(late.durable.isEmpty)
        // A device that comes back before the next trimming gets what it missed. A slow machine may trim first: then once more.
        var keys: [JSONValue] = ["open"]
        var newest = head
        repeat {
            let key = JSONValue.string("new-\(keys.count)")
            let before = newest
            let sent = try pair.alicePhone.ok([
                "type": "send", "chat": .string(pair.chat), "text": "new", "key": key,
            ])
            newest = sent["seq"]?.integerValue ?? 0
            keys.append(key)
            try late.event("message") { $0["key"] == key }
            let back = try server.connect()
            try back.hello(token: server.token(pair.bob), since: point(before))
            try back.event("live")
            if try admin.statistic("log_retained_from") ?? 0 > before { continue }
            #expect(back.durable.map { $0["key"] } == [key])
            #expect(back.messages.allSatisfy { $0["type"] != "reset" })
            break
        } while keys.count < 50
        #expect(keys.count < 50, "each device came back after the trimming")
        let history = try late.ok(["type": "history", "chat": .string(pair.chat)])
        #expect(history["messages"]?.arrayValue?.map { $0["key"] } == keys)
    }
}
