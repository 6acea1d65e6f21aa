import Foundation
import JSON
import TestSupport
import Testing

/// Due notifications while the process is killed again and again.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct ComingBackTests {
    private let folder = TemporaryFolder()
    private static let count = 40

    /// A time of the machine's clock, in the form of commands.
    private func time(inMilliseconds span: Int) -> JSONValue {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return .string(formatter.string(from: Date().addingTimeInterval(Double(span) / 1000)))
    }

    private func publish(_ server: ServerProcess) throws {
        let token = try ServerProcess.run(["token", "operator", "--admin", "--data", folder.path]).output
        let bearer = "Bearer " + token.trimmingCharacters(in: .newlines)
        let peer = try HTTPPeer(port: server.port)
        for number in 1...Self.count {
            let body: JSONValue = ["audience": "user:alice", "title": .string("t\(number)")]
            let answer = try peer.request(
                "POST",
                "/v1/broadcasts",
                headers: [("Authorization", bearer)],
                body: body.bytes
            )
            #expect(answer.status == 202)
        }
    }

    @Test func `each snoozed notification comes back once, whenever the process is killed`() throws {
        var server = try ServerProcess(data: folder.path)
        let token = try ServerProcess.token("alice", data: folder.path)
        let alice = try Chatter(port: server.port, token: token)
        try publish(server)
        let list = try alice.ok(["type": "notifications", "limit": 200])["notifications"]?.arrayValue ?? []
        #expect(list.count == Self.count)
        for (index, notification) in list.enumerated() {
            // On a busy machine, too, all are snoozed before the first comes back.
            let until = time(inMilliseconds: 5000 + index * 80)
            let ok = try alice.ok(["type": "snooze", "ids": [notification["id"] ?? .null], "until": until])
            #expect(ok["unread"] == .integer(Int64(Self.count - index - 1)))
        }
        for _ in 1...8 {
            Thread.sleep(forTimeInterval: Double.random(in: 0.7...1.4))
            server.signal(SIGKILL)
            _ = server.wait()
            server = try ServerProcess(data: folder.path)
        }
        let after = try Chatter(port: server.port, token: token)
        var back: [JSONValue] = []
        for _ in 1...20 where back.count < Self.count {
            Thread.sleep(forTimeInterval: 0.5)
            back = try after.ok(["type": "notifications", "limit": 200])["notifications"]?.arrayValue ?? []
        }
        // Duplicates have had the time to arrive.
        Thread.sleep(forTimeInterval: 1.5)
        let end = try after.ok(["type": "notifications", "limit": 200])
        let titles = end["notifications"]?.arrayValue?.compactMap { $0["title"]?.stringValue } ?? []
        #expect(titles.sorted() == (1...Self.count).map { "t\($0)" }.sorted())
        #expect(end["unread"] == .integer(Int64(Self.count)))
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
    }
    @Test func `broadcasts that wait are sent once each, whenever the process is killed`() throws {
        var server = try ServerProcess(data: folder.path)
        let token = try ServerProcess.token("alice", data: folder.path)
        let alice = try Chatter(port: server.port, token: token)
        _ = try alice.ok(["type": "preferences", "set": ["timeZone": "Asia/Kathmandu"]])
        let admin = try ServerProcess.run(["token", "operator", "--admin", "--data", folder.path]).output
        let bearer = "Bearer " + admin.trimmingCharacters(in: .newlines)
        let peer = try HTTPPeer(port: server.port)
        for number in 1...Self.count {
            var at = time(inMilliseconds: 1500 + number * 80)
            // Every second one by the clock of Kathmandu, a quarter to six hours ahead; others have had their turn or wait.
            if number % 2 == 0, case .string(let text) = time(inMilliseconds: 1500 + number * 80 + 20_700_000) {
                at = .string(String(text.dropLast()))
            }
            let body: JSONValue = ["audience": "everyone", "title": .string("t\(number)"), "at": at]
            let answer = try peer.request(
                "POST", "/v1/broadcasts", headers: [("Authorization", bearer)], body: body.bytes)
            #expect(answer.status == 202, "\(answer.text)")
        }
        for _ in 1...6 {
            Thread.sleep(forTimeInterval: Double.random(in: 0.7...1.4))
            server.signal(SIGKILL)
            _ = server.wait()
            server = try ServerProcess(data: folder.path)
        }
        let after = try Chatter(port: server.port, token: token)
        for _ in 1...20 {
            let list = try after.ok(["type": "notifications", "limit": 200])["notifications"]?.arrayValue ?? []
            if list.count >= Self.count { break }
            Thread.sleep(forTimeInterval: 0.5)
        }
        // Duplicates have had the time to arrive.
        Thread.sleep(forTimeInterval: 1.5)
        let end = try after.ok(["type": "notifications", "limit": 200])
        let titles = end["notifications"]?.arrayValue?.compactMap { $0["title"]?.stringValue } ?? []
        #expect(titles.sorted() == (1...Self.count).map { "t\($0)" }.sorted())
        #expect(end["unread"] == .integer(Int64(Self.count)))
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
    }
}
