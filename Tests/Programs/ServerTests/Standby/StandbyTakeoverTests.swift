import Configuration
import Foundation
import JSON
import Store
import Synchronization
import TestSupport
import Testing
@testable import Server

/// A standby takes its primary's place: with the primary's last word, or without.
@Suite(.serialized) struct StandbyTakeoverTests {
    /// Sends messages with keys on a thread of its own, one after the other, until the server takes no more.
    /// - Confinement: any
    private final class Sender: Sendable {
        let name: String
        private let sent = Mutex<(acknowledged: [String], open: String?)>(([], nil))
        private let ended = DispatchSemaphore(value: 0)

        init(_ name: String, as user: String, to chat: String, on server: TestServer) throws {
            self.name = name
            let token = try server.token(user)
            let thread = Thread { [self] in
                if let device = try? server.connect(), (try? device.hello(token: token, device: name)) != nil {
                    for number in 0..<100_000 {
                        let text = "\(name) \(number)"
                        let reply = try? device.reply(to: device.post(Self.message(text, to: chat)))
                        guard reply?["ok"] != nil else {
                            sent.withLock { $0.open = text }
                            break
                        }
                        sent.withLock { $0.acknowledged.append(text) }
                    }
                }
                ended.signal()
            }
            thread.stackSize = 4 << 20
            thread.start()
        }

        var count: Int { sent.withLock { $0.acknowledged.count } }

        /// Waits until it has ended.
        func end() -> (acknowledged: [String], open: String?) {
            ended.wait()
            return sent.withLock { $0 }
        }

        static func message(_ text: String, to chat: String) -> JSONValue {
            [
                "type": "send", "chat": .string(chat), "text": .string(text),
                "key": .string(text.replacing(" ", with: ".")),
            ]
        }
    }

    /// The texts of the messages that a device got.
    private static func texts(_ device: Device) -> [String] {
        device.durable.filter { $0["type"] == "message" }.compactMap { $0["text"]?.stringValue }
    }

    private static func resume(
        _ device: Device, _ user: String, on server: TestServer, epoch: JSONValue?
    ) throws -> Device {
        let next = try server.connect()
        let since: JSONValue = ["epoch": epoch ?? .null, "seq": .integer(device.seqs.last ?? 0)]
        let hello = try next.hello(token: server.token(user), device: "listener", since: since)
        #expect(hello["epoch"] == epoch)
        return next
    }

    @Test func `while clients write, a primary hands over: every acknowledged message is there once, without a gap`()
        throws
    {
        let pairing = try StandbyPair()
        let pair = try pairing.primary.pair()
        let standby = try pairing.startStandby()
        let epoch = try StandbyPair.state(pairing.primary)["epoch"]
        let listener = try pairing.primary.device(pair.bob, "listener")
        let senders = try (0..<3).map { try Sender("s\($0)", as: pair.alice, to: pair.chat, on: pairing.primary) }
        try eventually("they write") { senders.allSatisfy { $0.count > 50 } }
        #expect(try StandbyPair.promote(standby) == nil)
        #expect(try StandbyPair.state(pairing.primary)["role"] == "handed-over")
        let refused = try pairing.primary.admin().call("PUT", "/v1/documents/films/9", ["a": 1])
        #expect(refused.status == 503 && refused.text.contains("was handed over to its standby"), "\(refused.text)")
        let ready = try pairing.primary.admin().call("GET", "/readyz")
        #expect(ready.status == 503)
        // Its sessions end, so that their clients come to the other one.
        while try listener.read() != nil {}
        let ends = senders.map { $0.end() }
        let next = try pairing.restart(standby)
        defer {
            next.application.stop()
            pairing.primary.application.stop()
        }
        #expect(try StandbyPair.state(next)["role"] == "primary")
        // Clients repeat with the same keys.
        let again = try next.device(pair.alice, "again")
        for end in ends { if let open = end.open { try again.ok(Sender.message(open, to: pair.chat)) } }
        try again.ok(Sender.message("the end", to: pair.chat))
        let resumed = try Self.resume(listener, pair.bob, on: next, epoch: epoch)
        while !Self.texts(resumed).contains("the end") { _ = try resumed.read() }
        let seen = Self.texts(listener) + Self.texts(resumed)
        #expect(Set(seen).count == seen.count, "a message came twice")
        let wanted = Set(ends.flatMap { $0.acknowledged + ($0.open.map { [$0] } ?? []) })
        #expect(wanted.count > 150)
        #expect(Set(seen).isSuperset(of: wanted))
        #expect(zip(resumed.seqs, resumed.seqs.dropFirst()).allSatisfy { $0 < $1 })
        #expect((listener.seqs.last ?? 0) < (resumed.seqs.first ?? 0))
        for (sender, end) in zip(senders, ends) {
            let own = seen.filter { $0.hasPrefix(sender.name + " ") }
            #expect(own.prefix(end.acknowledged.count) == end.acknowledged[...], "the order of \(sender.name)")
        }
    }

    @Test func `a primary that was handed over does not start again, and its folder has the same rows`() throws {
        let pairing = try StandbyPair()
        let pair = try pairing.primary.pair()
        let standby = try pairing.startStandby()
        try StandbyPair.send(20, pair, "one")
        #expect(try StandbyPair.promote(standby) == nil)
        standby.application.stop()
        pairing.primary.application.stop()
        #expect(try pairing.stoppedDifferences() == [])
        let problem = #expect(throws: StartProblem.self) { try pairing.startPrimary() }
        #expect(problem?.description.contains("was handed over to its standby") == true)
    }

    @Test func `an old primary follows the new one on its old folder, and may take its place in turn`() throws {
        let pairing = try StandbyPair()
        let pair = try pairing.primary.pair()
        let standby = try pairing.startStandby()
        try StandbyPair.send(20, pair, "one")
        #expect(try StandbyPair.promote(standby) == nil)
        pairing.primary.application.stop()
        let next = try pairing.restart(standby)
        let epoch = try StandbyPair.state(next)["epoch"]
        #expect(try next.admin().call("PUT", "/v1/documents/films/1", ["a": 1]).status < 300)
        func startOld() throws -> TestServer {
            try TestServer(in: pairing.folders.primary) { $0.cluster.standbyOf = "http://127.0.0.1:\(next.port)" }
        }
        let old = try startOld()
        #expect(try next.admin().call("PUT", "/v1/documents/films/2", ["a": 2]).status < 300)
        try eventually("it follows") { try old.admin().call("GET", "/v1/documents/films/2").status == 200 }
        #expect(try StandbyPair.promote(old) == nil)
        old.application.stop()
        next.application.stop()
        #expect(try pairing.stoppedDifferences() == [])
        let again = try startOld()
        defer { again.application.stop() }
        #expect(try StandbyPair.state(again)["role"] == "primary")
        #expect(try StandbyPair.state(again)["epoch"] == epoch)
        #expect(try again.admin().call("GET", "/v1/documents/films/2").status == 200)
    }

    @Test func `a primary that stops gives its standby everything first; without an answer a new epoch begins`() throws
    {
        let pairing = try StandbyPair()
        let pair = try pairing.primary.pair()
        var standby = try pairing.startStandby()
        let epoch = try StandbyPair.state(pairing.primary)["epoch"]
        let listener = try pairing.primary.device(pair.bob, "listener")
        let sender = try Sender("s", as: pair.alice, to: pair.chat, on: pairing.primary)
        try eventually("it writes") { sender.count > 50 }
        pairing.primary.application.stop()
        while try listener.read() != nil {}
        let end = sender.end()
        // Also when the standby has been started again meanwhile.
        standby = try pairing.restart(standby)
        #expect(try StandbyPair.promote(standby) == nil)
        let next = try pairing.restart(standby)
        defer { next.application.stop() }
        #expect(try StandbyPair.state(next)["epoch"] != epoch)
        let again = try next.device(pair.alice, "again")
        if let open = end.open { try again.ok(Sender.message(open, to: pair.chat)) }
        #expect(try Self.isReset(listener, pair.bob, on: next, epoch: epoch))
        let history = try again.ok(["type": "history", "chat": .string(pair.chat), "limit": 200])
        let kept = (history["messages"]?.arrayValue ?? []).compactMap { $0["text"]?.stringValue }
        #expect(Set(kept).isSuperset(of: end.acknowledged.suffix(150)) && Set(kept).count == kept.count)
    }

    /// Whether a device that comes back with its cursor gets `reset`.
    private static func isReset(
        _ device: Device, _ user: String, on server: TestServer, epoch: JSONValue?
    ) throws -> Bool {
        let next = try server.connect()
        let since: JSONValue = ["epoch": epoch ?? .null, "seq": .integer(device.seqs.last ?? 0)]
        _ = try next.hello(token: server.token(user), device: "listener", since: since)
        return try next.event("reset")["reason"] == "epoch"
    }

    @Test func `a standby that was away while its primary went on begins a new epoch, and devices are reset`() throws {
        let pairing = try StandbyPair()
        let pair = try pairing.primary.pair()
        var standby = try pairing.startStandby()
        let epoch = try StandbyPair.state(pairing.primary)["epoch"]
        try StandbyPair.send(20, pair, "one")
        pairing.primary.application.stop()
        #expect(FileManager.default.fileExists(atPath: pairing.folders.standby.path + "/standby-end"))
        standby.application.stop()
        try pairing.startPrimary()
        let listener = try pairing.primary.device(pair.bob, "listener")
        #expect(try pairing.primary.admin().call("PUT", "/v1/documents/films/2", ["a": 2]).status < 300)
        pairing.primary.application.stop()
        standby = try pairing.startStandby()
        // Without --force, as its end is noted; but it cannot know that nothing came after it.
        #expect(try StandbyPair.promote(standby) == nil)
        let next = try pairing.restart(standby)
        defer { next.application.stop() }
        #expect(try StandbyPair.state(next)["epoch"] != epoch)
        #expect(try Self.isReset(listener, pair.bob, on: next, epoch: epoch))
        #expect(try next.admin().call("GET", "/v1/documents/films/2").status == 404)
    }

    @Test func `a standby that follows no more does not trust the end that its primary once said`() throws {
        let pairing = try StandbyPair()
        let pair = try pairing.primary.pair()
        let standby = try pairing.startStandby()
        try StandbyPair.send(20, pair, "one")
        try pairing.catchUp(standby)
        pairing.primary.application.stop()
        #expect(FileManager.default.fileExists(atPath: pairing.folders.standby.path + "/standby-end"))
        // The primary comes back with another history.
        try FileManager.default.removeItem(atPath: pairing.folders.primary.path + "/watchwise.head")
        try pairing.startPrimary()
        defer { pairing.primary.application.stop() }
        try eventually("it follows no more") { try StandbyPair.state(standby)["role"] == "stopped" }
        let refusal = try #require(try StandbyPair.promote(standby))
        #expect(refusal.contains("does not follow it") && refusal.contains("--force"), "\(refusal)")
        standby.application.stop()
    }

    @Test func `a primary that stops and starts again is followed on`() throws {
        let pairing = try StandbyPair()
        let pair = try pairing.primary.pair()
        let standby = try pairing.startStandby()
        try StandbyPair.send(20, pair, "one")
        pairing.primary.application.stop()
        #expect(FileManager.default.fileExists(atPath: pairing.folders.standby.path + "/standby-end"))
        try pairing.startPrimary()
        #expect(try pairing.primary.admin().call("PUT", "/v1/documents/films/1", ["a": 1]).status < 300)
        try pairing.catchUp(standby)
        #expect(!FileManager.default.fileExists(atPath: pairing.folders.standby.path + "/standby-end"))
        #expect(standby.application.rejoins == nil)
        #expect(try pairing.differences(standby) == [])
    }

    @Test func `without its primary a standby says how old it is, and goes on in a new epoch if it is forced`() throws {
        let pairing = try StandbyPair()
        let relay = try CutRelay(to: pairing.primary.port)
        let pair = try pairing.primary.pair()
        func followRelay(_ configuration: inout ServerConfiguration) {
            configuration.cluster.standbyOf = "http://127.0.0.1:\(relay.port)"
        }
        let standby = try pairing.startStandby(followRelay)
        try StandbyPair.send(20, pair, "one")
        try pairing.catchUp(standby)
        let hello = try pairing.primary.connect().hello(token: pairing.primary.token(pair.bob), device: "other")
        relay.stop()
        try StandbyPair.send(5, pair, "lost")
        let refusal = try #require(try StandbyPair.promote(standby))
        #expect(refusal.contains("does not answer") && refusal.contains("--force"), "\(refusal)")
        #expect(refusal.contains("the last write is of 20") && refusal.contains("s ago"), "\(refusal)")
        #expect(try StandbyPair.state(standby)["role"] == "standby")
        #expect(try StandbyPair.promote(standby, isForced: true) == nil)
        let next = try pairing.restart(standby, followRelay)
        defer { pairing.primary.application.stop() }
        let device = try next.connect()
        let again = try device.hello(
            token: next.token(pair.bob), device: "other",
            since: ["epoch": hello["epoch"] ?? .null, "seq": hello["seq"] ?? .null])
        #expect(again["epoch"] != hello["epoch"])
        #expect(try device.event("reset")["reason"] == "epoch")
        let history = try device.ok(["type": "history", "chat": .string(pair.chat), "limit": 1])
        #expect(history["messages"]?.arrayValue?.last?["text"] == "one 19")
        #expect(try next.admin().call("PUT", "/v1/documents/films/2", ["a": 1]).status < 300)
        // A third start does not renew it again.
        let epoch = try StandbyPair.state(next)["epoch"]
        let third = try pairing.restart(next, followRelay)
        #expect(try StandbyPair.state(third)["epoch"] == epoch)
        third.application.stop()
    }

    @Test func `a takeover is asked of a standby, once, and of no other server`() throws {
        let pairing = try StandbyPair()
        let standby = try pairing.startStandby()
        let primary = try pairing.primary.admin().call("POST", "/v1/standby/promote")
        #expect(primary.status == 409 && primary.text.contains("is a primary already"), "\(primary.text)")
        let handover = try standby.admin().call("POST", "/v1/standby/handover")
        #expect(handover.status == 409 && handover.text.contains("its role is standby"), "\(handover.text)")
        try pairing.catchUp(standby)
        let admin = try standby.admin()
        #expect(try admin.call("POST", "/v1/standby/promote").status == 202)
        let second = try admin.call("POST", "/v1/standby/promote")
        #expect(second.status == 409 && second.text.contains("already"), "\(second.text)")
        try eventually("it is over") { standby.application.rejoins != nil }
        let next = try pairing.restart(standby)
        let third = try next.admin().call("POST", "/v1/standby/promote")
        #expect(third.status == 409 && third.text.contains("is a primary already"), "\(third.text)")
        next.application.stop()
        pairing.primary.application.stop()
    }

    @Test func `a standby that is catching up lets its primary go on until it has everything`() throws {
        let pairing = try StandbyPair()
        let relay = try CutRelay(to: pairing.primary.port)
        let standby = try pairing.startStandby { $0.cluster.standbyOf = "http://127.0.0.1:\(relay.port)" }
        try pairing.catchUp(standby)
        let pair = try pairing.primary.pair()
        standby.application.stop()
        for round in 0..<10 { try StandbyPair.send(100, pair, "r\(round)") }
        let again = try pairing.startStandby { $0.cluster.standbyOf = "http://127.0.0.1:\(relay.port)" }
        #expect(try StandbyPair.promote(again) == nil)
        again.application.stop()
        pairing.primary.application.stop()
        #expect(try pairing.stoppedDifferences() == [])
    }
}
