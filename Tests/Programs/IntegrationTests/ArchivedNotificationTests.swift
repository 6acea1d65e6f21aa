import Foundation
import JSON
import TestSupport
import Testing

/// Notifications that a person puts away, with devices that come and go, and a process that is killed.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct ArchivedNotificationTests {
    private let folder = TemporaryFolder()

    private func publish(_ audience: String, _ titles: [String], on server: ServerProcess) throws {
        let token = try ServerProcess.run(["token", "operator", "--admin", "--data", folder.path]).output
        let bearer = "Bearer " + token.trimmingCharacters(in: .newlines)
        let peer = try HTTPPeer(port: server.port)
        for title in titles {
            let body: JSONValue = ["audience": .string(audience), "title": .string(title)]
            let answer = try peer.request(
                "POST", "/v1/broadcasts", headers: [("Authorization", bearer)], body: body.bytes)
            #expect(answer.status == 202, "\(answer.text)")
        }
    }

    private func list(_ chatter: Chatter) throws -> [JSONValue] {
        try chatter.ok(["type": "notifications", "limit": 200])["notifications"]?.arrayValue ?? []
    }

    private func titles(_ chatter: Chatter) throws -> [String] {
        try list(chatter).compactMap { $0["title"]?.stringValue }.sorted()
    }

    /// The titles that a client shows that takes events as the contract says.
    private func shown(_ messages: [JSONValue]) -> [String] {
        var items: [String: String] = [:]
        for event in messages {
            guard let id = event["id"]?.stringValue else { continue }
            if event["type"] == "notification" { items[id] = event["title"]?.stringValue }
            if event["type"] == "notification.removed" { items[id] = nil }
        }
        return items.values.sorted()
    }

    private func killed(_ server: ServerProcess) throws -> ServerProcess {
        server.signal(SIGKILL)
        _ = server.wait()
        return try ServerProcess(data: folder.path)
    }

    @Test(arguments: ["user:alice", "person:1", "everyone"])
    func `an archived notification is gone on every device, even a new one, whenever the process is killed`(
        audience: String
    ) throws {
        var server = try ServerProcess(data: folder.path)
        let token = try ServerProcess.token("alice", data: folder.path)
        let others = try ServerProcess.token("bob", data: folder.path)
        let bob = try Chatter(port: server.port, token: others)
        let away = try Chatter(port: server.port, token: token)
        for chatter in [bob, away] { _ = try chatter.ok(["type": "follow", "topic": "person:1"]) }
        let start = try away.ok(["type": "follow", "topic": "person:2"])["seq"] ?? .null
        let since: JSONValue = ["epoch": away.epoch, "seq": start]
        away.peer.socket.close()
        let all = (1...20).map { "t\($0)" }
        try publish(audience, all, on: server)
        var kept = Set(all)
        for round in 1...3 {
            let alice = try Chatter(port: server.port, token: token)
            let some = try list(alice).filter { _ in Int.random(in: 0..<3) == 0 }
            guard !some.isEmpty else { continue }
            let command: JSONValue = [
                "type": "archive", "ids": .array(some.compactMap { $0["id"] }), "key": .string("k\(round)"),
            ]
            let ok = try alice.ok(command)
            kept.subtract(some.compactMap { $0["title"]?.stringValue })
            #expect(ok["unread"] == .integer(Int64(kept.count)))
            server = try killed(server)
            let again = try Chatter(port: server.port, token: token)
            #expect(try again.ok(command) == ok)
            #expect(try titles(again) == kept.sorted())
        }
        let new = try Chatter(port: server.port, token: token)
        #expect(try titles(new) == kept.sorted())
        let head = try new.ok(["type": "follow", "topic": "person:3"])["seq"] ?? .null
        #expect(try new.ok(["type": "seen", "upTo": head])["unread"] == 0)
        server = try killed(server)
        let back = try Chatter(port: server.port, token: token, since: since)
        #expect(!back.messages.contains { $0["type"] == "reset" })
        #expect(shown(back.messages) == kept.sorted())
        #expect(try titles(back) == kept.sorted())
        let theirs = try Chatter(port: server.port, token: others)
        #expect(try titles(theirs) == (audience == "user:alice" ? [] : all.sorted()))
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
    }
}
