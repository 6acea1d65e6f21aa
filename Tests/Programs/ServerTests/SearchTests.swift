import Configuration
import Foundation
import JSON
import Server
import TestSupport
import Testing

/// `search` on real sockets: what is found, on every device and after a restart, and what is refused.
struct SearchTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

    private func send(_ text: String, in pair: Pair, key: String) throws -> Int64 {
        let ok = try pair.alicePhone.ok([
            "type": "send", "chat": .string(pair.chat), "text": .string(text), "key": .string(key),
        ])
        return try #require(ok["seq"]?.integerValue)
    }

    /// Asks until the index has come to a position.
    private func search(
        _ device: Device, _ question: String, upTo position: Int64, _ more: JSONObject = [:]
    ) throws -> JSONValue {
        var command: JSONObject = ["type": "search", "q": .string(question)]
        for (name, value) in more.members { command[name] = value }
        let end = Date(timeIntervalSinceNow: 10)
        while true {
            let answer = try device.ok(.object(command))
            if answer["upTo"]?.integerValue ?? 0 >= position, answer["building"] == nil { return answer }
            guard Date() < end else {
                Issue.record("the index has not come to \(position): \(answer.text)")
                return answer
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    private func texts(_ answer: JSONValue) -> [String] {
        answer["messages"]?.arrayValue?.compactMap { $0["text"]?.stringValue } ?? []
    }

    @Test func `both people find a message on every device, and nobody else does`() throws {
        let pair = try server.pair()
        let stranger = try server.pair()
        _ = try send("Wieczorem żółta Łódź", in: pair, key: "a")
        let last = try send("Είδες τη Λάμψη; 🎬", in: pair, key: "b")
        for device in pair.all {
            let answer = try search(device, "λαμψη", upTo: last)
            #expect(texts(answer) == ["Είδες τη Λάμψη; 🎬"])
            #expect(answer["messages"]?.arrayValue?.first?["marks"] == [[9, 5]])
            #expect(try texts(search(device, "zolta lodz", upTo: last)) == ["Wieczorem żółta Łódź"])
        }
        #expect(try texts(search(stranger.alicePhone, "λαμψη", upTo: last)).isEmpty)
        let history = try pair.bobPhone.ok(["type": "history", "chat": .string(pair.chat), "limit": 1])
        var found = try search(pair.bobPhone, "🎬", upTo: last)["messages"]?.arrayValue?.first?.objectValue
        found?["marks"] = nil
        #expect(found.map { JSONValue.object($0) } == history["messages"]?.arrayValue?.first)
    }

    @Test func `an edit and a deletion are known at once, and the new text within a second`() throws {
        let pair = try server.pair()
        let first = try send("zebra one", in: pair, key: "a")
        let second = try send("zebra two", in: pair, key: "b")
        #expect(try texts(search(pair.bobPhone, "zebra", upTo: second)).count == 2)
        try pair.alicePhone.ok(["type": "delete", "chat": .string(pair.chat), "n": 3, "key": "d"])
        let edited = try pair.alicePhone.ok([
            "type": "edit", "chat": .string(pair.chat), "n": 2, "text": "giraffe", "key": "e",
        ])
        #expect(try texts(pair.bobPhone.ok(["type": "search", "q": "zebra"])).isEmpty)
        let answer = try search(pair.bobPhone, "giraffe", upTo: try #require(edited["seq"]?.integerValue))
        #expect(answer["messages"]?.arrayValue?.first?["seq"] == .integer(first))
        #expect(answer["messages"]?.arrayValue?.first?["rev"] == 2)
    }

    @Test func `a wrong field is refused by its name, a chat of others as history refuses it`() throws {
        let pair = try server.pair()
        let other = try server.pair()
        for (field, more) in [
            ("q", ["q": ""]), ("q", ["q": 1]), ("q", ["q": .null]), ("q", ["q": "!?"]),
            ("q", ["q": .string(String(repeating: "a ", count: 17))]),
            ("q", ["q": .string(String(repeating: "a", count: 257))]), ("chat", ["chat": "x"]),
            ("chat", ["chat": 1]), ("from", ["from": "a b"]), ("from", ["from": []]), ("before", ["before": "x"]),
            ("before", ["before": true]), ("limit", ["limit": 0]), ("limit", ["limit": 201]), ("limit", ["limit": "1"]),
        ] as [(String, JSONObject)] {
            var command: JSONObject = ["type": "search", "q": "film"]
            for (name, value) in more.members { command[name] = value }
            let error = try pair.alicePhone.refused(.object(command))
            #expect(error["code"] == "bad-request" && error["field"] == .string(field), "\(more)")
        }
        let foreign: JSONValue = ["type": "search", "q": "film", "chat": .string(other.chat)]
        let error = try pair.alicePhone.refused(foreign)
        #expect(error["code"] == "forbidden" && error["field"] == "chat")
        let unopened = [pair.alice, other.bob].sorted().joined(separator: ":")
        let absent = try pair.alicePhone.refused(["type": "search", "q": "film", "chat": .string(unopened)])
        #expect(absent["code"] == "not-found" && absent["field"] == "chat")
    }

    @Test func `after a restart everything is found, with the index, without it, and with a damaged one`() throws {
        let folder = TemporaryFolder()
        var last: Int64 = 0
        var pair: Pair?
        for damage in [nil, "none", "remove", "overwrite"] {
            let path = folder.path + "/search.db"
            if damage == "remove" { try FileManager.default.removeItem(atPath: path) }
            if damage == "overwrite" { try Data(repeating: 7, count: 50_000).write(to: URL(filePath: path)) }
            let server = try TestServer(in: folder) { _ in }
            defer { server.application.stop() }
            let people = try pair ?? server.pair()
            if pair == nil {
                for number in 1...20 { last = try send("film \(number)", in: people, key: "f\(number)") }
            }
            pair = people
            let device = try server.device(people.bob)
            let answer = try search(device, "film", upTo: last, ["limit": 15])
            #expect(texts(answer) == (6...20).reversed().map { "film \($0)" }, "\(damage ?? "first")")
            let rest = try search(device, "film", upTo: last, ["before": answer["next"] ?? .null])
            #expect(texts(rest) == (1...5).reversed().map { "film \($0)" } && rest["next"] == nil)
        }
    }

    @Test func `a server without search refuses, and makes no file`() throws {
        let folder = TemporaryFolder()
        let server = try TestServer(in: folder) { $0.searches = false }
        defer { server.application.stop() }
        let error = try server.device("alice").refused(["type": "search", "q": "film"])
        #expect(error["code"] == "forbidden" && error["field"] == nil)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/search.db"))
    }

    @Test func `the figures show the time of a search and its lag`() throws {
        let pair = try server.pair()
        let last = try send("metric", in: pair, key: "m")
        _ = try search(pair.bobPhone, "metric", upTo: last)
        let admin = try server.admin()
        let page = try admin.call("GET", "/metrics").text
        #expect(page.contains("# TYPE watchwise_search_lag_entries gauge"))
        #expect(page.contains("watchwise_search_duration_seconds_bucket{le=\"0.0005\"}"))
        #expect(page.contains("watchwise_search_duration_seconds_bucket{le=\"1.0\"}"))
        #expect(try admin.statistic("search_lag_entries") != nil)
    }
}
