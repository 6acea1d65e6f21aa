import EventLoop
import Foundation
import JSON
import Telemetry
import TestSupport
import Testing
@testable import Configuration
@testable import Server
@testable import ThreadMessages

/// Replies and events of one connection come in the order of their positions, also while it reads from the log.
struct ReplyOrderTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

    /// Sends messages to bob; returns the position of the last.
    private func send(_ count: Int, in pair: Pair, _ stem: String, text: String = "m") throws -> Int64 {
        var last: Int64 = 0
        var left = count
        while left > 0 {
            let ids = try (0..<min(left, 100)).map { number in
                try pair.alicePhone.post([
                    "type": "send", "chat": .string(pair.chat), "text": .string(text),
                    "key": .string("\(stem).\(left).\(number)"),
                ])
            }
            for id in ids { last = try pair.alicePhone.reply(to: id)["ok"]?["seq"]?.integerValue ?? last }
            left -= ids.count
        }
        return last
    }

    /// Compares the order of a device's messages with their positions.
    ///
    /// - Parameter writes: Ids of commands that write one event each; no event may overtake these either.
    private func check(_ device: Device, writes: Set<Int64>) {
        var last: Int64 = 0
        for message in device.messages where message["type"] != "beat" && message["ok"]?["heartbeat"] == nil {
            guard let seq = (message["ok"] ?? message)["seq"]?.integerValue else { continue }
            let isExact = message["re"]?.integerValue.map(writes.contains) ?? true
            if isExact, seq < last { Issue.record("\(message.text) came after \(last)") }
            last = max(last, seq)
        }
    }

    @Test func `a write sent right after hello is answered after all that was missed before it`() throws {
        let pair = try server.pair()
        let hello = try pair.bobPhone.hello(token: server.token(pair.bob), device: "phone")
        try pair.bobPhone.settle()
        let since = try #require(pair.bobPhone.seqs.last)
        pair.bobPhone.peer.socket.close()
        _ = try send(1081, in: pair, "o")
        for round in 0..<5 {
            let back = try server.connect()
            let point: JSONValue = ["epoch": hello["epoch"] ?? .null, "seq": .integer(since)]
            try back.post(Device.helloCommand(token: server.token(pair.bob), device: "phone", since: point))
            var ids: [Int64] = []
            var writes: Set<Int64> = []
            for number in 0..<5 {
                let write = try back.post([
                    "type": "send", "chat": .string(pair.chat), "text": "p", "key": .string("p\(round).\(number)"),
                ])
                writes.insert(write)
                ids.append(write)
                ids.append(try back.post(["type": "send", "chat": .string(pair.chat), "text": ""]))
                ids.append(
                    try back.post(["type": "read", "chat": .string(pair.chat), "n": .integer(Int64(number + 1))]))
                ids.append(try back.post(["type": "history", "chat": .string(pair.chat), "limit": 1]))
            }
            for id in ids { _ = try back.reply(to: id) }
            try back.event("live")
            try back.settle()
            check(back, writes: writes)
            #expect(back.durable.count { $0["type"] == "message" } == 1081 + 5 * (round + 1))
            #expect(Set(ids.compactMap { id in back.messages.firstIndex { $0["re"] == .integer(id) } }).count == 20)
        }
    }

    @Test func `a write of a slow reader is answered after what it has not taken yet`() throws {
        let pair = try server.pair()
        let slow = try server.connect(receiveBufferBytes: 65_536)
        try slow.hello(token: server.token(pair.bob))
        try slow.event("live")
        let before = try server.admin().statistic("slow_sessions_total") ?? 0
        _ = try send(1400, in: pair, "s", text: String(repeating: "x", count: 3900))
        #expect((try server.admin().statistic("slow_sessions_total") ?? 0) > before)
        let ids = try (0..<20).map { number in
            try slow.post([
                "type": "send", "chat": .string(pair.chat), "text": "mine", "key": .string("mine\(number)"),
            ])
        }
        let repeated = try slow.post([
            "type": "send", "chat": .string(pair.chat), "text": "mine", "key": "mine0",
        ])
        var last: Int64 = 0
        for id in ids { last = try slow.reply(to: id)["ok"]?["seq"]?.integerValue ?? 0 }
        #expect(try slow.reply(to: repeated)["ok"] == slow.reply(to: ids[0])["ok"])
        try slow.wait(forSeq: last)
        check(slow, writes: Set(ids))
    }

    @Test func `events of a page that is ahead of the commits wait for the replies that stand before them`() throws {
        let folder = TemporaryFolder()
        let (pair, token, point) = try missing(250, in: folder)
        let turned = try TurnedServer(in: folder)
        defer { turned.end() }
        let back = try turned.connect()
        try back.post(Device.helloCommand(token: token, device: "phone", since: point))
        let writes = try (0..<3).map { number in
            try back.post([
                "type": "send", "chat": .string(pair.chat), "text": "p", "key": .string("p\(number)"),
            ])
        }
        turned.turn(.connections)
        turned.turn(.reader)
        // Sends the first page, asks for the second one, and hands the writes over.
        turned.turn(.connections)
        turned.turn(.writer)
        turned.turn(.reader)
        // The second page has arrived with the written entries; the commit itself has not been delivered.
        turned.turn(.connections)
        turned.deliverCommits()
        for id in writes { #expect(try back.reply(to: id)["ok"] != nil) }
        try back.event("live")
        check(back, writes: Set(writes))
        #expect(back.durable.count { $0["type"] == "message" } == 253)
    }

    /// Makes a folder in which bob has missed some messages.
    private func missing(
        _ count: Int, in folder: TemporaryFolder
    ) throws -> (pair: Pair, token: String, point: JSONValue) {
        let server = try TestServer(in: folder) { _ in }
        defer { server.application.stop() }
        let pair = try server.pair()
        let token = try server.token(pair.bob)
        let hello = try pair.bobPhone.hello(token: token, device: "phone")
        try pair.bobPhone.settle()
        let point: JSONValue = [
            "epoch": hello["epoch"] ?? .null, "seq": .integer(try #require(pair.bobPhone.seqs.last)),
        ]
        _ = try send(count, in: pair, "t")
        for device in pair.all { device.peer.socket.close() }
        return (pair, token, point)
    }
}

/// A server whose threads get their turns by hand, and whose commits are delivered when the test says so.
/// - Confinement: the thread that made it
private final class TurnedServer {
    /// In the order in which the server makes them.
    enum Part: Int { case writer, reader, backups, connections }

    private let stage = LoopStage()
    private let application: Application
    private var commits: [LoopMessage] = []
    private var isDelivering = false

    init(in folder: TemporaryFolder) throws {
        var configuration = ServerConfiguration()
        configuration.listen = ["127.0.0.1:0"]
        configuration.data = folder.path
        configuration.loops = 1
        configuration.logLevel = .silent
        configuration.triggers = [.ready(.filmNetwork)]
        let said = Mailbox<LoopMessage>()
        application = try Application(configuration, on: stage, tellingCommitsTo: [said])
        try #require(stage.loops.count == 4)
        let receive = { [unowned self] (messages: inout [LoopMessage]) in
            commits += messages
            messages.removeAll()
            if isDelivering { deliver() }
        }
        try said.open(taking: receive, on: stage.loops[Part.connections.rawValue])
    }

    /// An upgraded connection.
    func connect() throws -> Device {
        let port = application.addresses.first?.split(separator: ":").last.flatMap { UInt16($0) }
        let socket = try TCPSocket(port: #require(port))
        try socket.send(WebSocketPeer.upgrade("/v1/ws"))
        turn(.connections)
        return Device(try WebSocketPeer(upgraded: socket))
    }

    /// Lets one part do everything that it can do without the others.
    func turn(_ part: Part) {
        let loop = stage.loops[part.rawValue]
        for _ in 0..<20 { stage.turn(loop) }
    }

    /// Delivers the writer's commits so far, and further ones at once.
    func deliverCommits() {
        isDelivering = true
        deliver()
        for _ in 0..<5 { stage.settle() }
    }

    private func deliver() {
        application.mail.loops[0].post(contentsOf: commits)
        commits = []
    }

    func end() {
        application.beginStopping()
        stage.settle()
        application.finishStopping(on: stage)
        stage.abandon()
    }
}
