import Foundation
import JSON
import TestSupport
import Testing

/// The commands for working on triggers, run as an operator runs them.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct TriggerCommandTests {
    let folder = TemporaryFolder()
    private var data: String { folder.path + "/data" }

    /// Runs a command against a server.
    private func run(_ server: ServerProcess, _ arguments: String...) throws -> ServerProcess.Ended {
        try ServerProcess.run(arguments + ["--server", "http://127.0.0.1:\(server.port)", "--data", data])
    }

    private func json(_ server: ServerProcess, _ arguments: [String]) throws -> JSONValue {
        let there = ["--server", "http://127.0.0.1:\(server.port)", "--data", data, "--json"]
        let ended = try ServerProcess.run(arguments + there)
        guard ended.status == 0 else { throw TCPSocket.Failure(description: ended.errors) }
        return try JSONValue(parsing: Array(ended.output.utf8))
    }

    /// A file with a row of the trigger table.
    private func file(_ row: String) throws -> String {
        let path = folder.path + "/row.json"
        try row.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private static let row = """
        {"name": "price", "event": "write", "path": "items/{item}", "condition": "after->>'a' > 1",
         "audience": "user:alice", "title": {"en": "{{item}} is {{after.a}}", "it": "{{item}} costa {{after.b}}"}}
        """

    @Test func `test, runs, explain and list say it in tables`() throws {
        let server = try ServerProcess(data: data)
        let file = try file(Self.row)
        let test = try run(
            server, "trigger", "test", "price", "--row", file, "--path", "items/x", "--after", #"{"a": 5}"#)
        #expect(test.status == 0, "\(test.errors)")
        for text in [
            "it notifies", "x is 5", "user:alice: 1 person",
            "missing, and therefore empty: "
                + "after.b", "Nothing was written.",
        ] {
            #expect(test.output.contains(text), "\(text) in \(test.output)")
        }
        let other = try run(server, "trigger", "test", "price", "--row", file, "--path", "item/x", "--after", "{}")
        #expect(other.output.contains("part 1 of the path is 'item', the pattern has 'items'"))
        #expect(try run(server, "trigger", "put", file).status == 0)
        #expect(try run(server, "put", "items/x", #"{"a": 5}"#).status == 0)
        #expect(try run(server, "put", "items/x", #"{"a": 1}"#).status == 0)
        let runs = try run(server, "trigger", "runs", "price").output
        #expect(runs.contains("items/x") && runs.contains("1 notification, n"))
        let id = try #require(
            try json(server, ["trigger", "runs", "price"])["runs"]?.arrayValue?.first?["first"]?.stringValue)
        let explained = try run(server, "explain", id, "--user", "alice").output
        #expect(explained.contains("put of items/x by admin operator") && explained.contains("alice got \(id)"))
        let why = try run(server, "explain", "--path", "items/x", "--user", "alice").output
        #expect(why.contains("alice got nothing of price: the condition is 0"))
        #expect(try json(server, ["explain", id])["id"] == .string(id))
        let list = try json(server, ["trigger", "list"])
        #expect(list["counts"]?["price"]?["matched"] == 2)
        #expect(try run(server, "explain").status == 2)
        #expect(try run(server, "explain", "--path", "items/x").status == 2)
        #expect(try run(server, "explain", "n999").errors.contains("not-found"))
    }

    @Test func `tables show schedules that are to come, moved and dropped`() throws {
        let server = try ServerProcess(data: data)
        let row = """
            {"name": "due", "event": "write", "path": "items/{item}", "at": "after->>'due'", "condition": "after->>'a' > 1",
             "audience": "followers:branch:{after.branch}", "title": "{{item}} is due"}
            """
        #expect(try run(server, "trigger", "put", file(row)).status == 0)
        let follow = try run(server, "put", "branches/mitte/followers/ayse", "{}")
        #expect(follow.output.contains("a follow of branch:mitte"))
        let other = try run(server, "put", "cities/rome/followers/ayse", "{}")
        #expect(
            other.errors.contains("warning: this follows city:rome, but no trigger has the audience followers:city:…"))
        let put = { (due: String, a: Int) in
            try run(server, "put", "items/x", #"{"branch": "mitte", "a": \#(a), "due": "\#(due)"}"#).output
        }
        #expect(try put("2036-01-01", 2).contains("trigger due: scheduled 2036-01-01T00:00:00.000Z\n"))
        #expect(
            try put("2037-01-01", 2)
                .contains("trigger due: scheduled 2037-01-01T00:00:00.000Z, in place of 2036-01-01T00:00:00.000Z"))
        let pending = try run(server, "explain", "--pending", "--user", "ayse")
        #expect(
            pending.output.contains("x is due")
                && pending.output.contains(
                    "ayse has followed branch:mitte "
                        + "since seq")
        )
        let json = try json(server, ["explain", "--pending", "--user", "ayse"])
        #expect(json["pending"]?.arrayValue?.first?["due"] == "2037-01-01T00:00:00.000Z")
        #expect(try put("2037-01-01", 1).contains("the notification scheduled for 2037-01-01T00:00:00.000Z is dropped"))
        #expect(
            try run(server, "explain", "--pending", "--user", "ayse").output == "nothing is still to come for ayse\n")
        #expect(try run(server, "explain", "--pending").status == 2)
        let list = try HTTPPeer(port: server.port).request("GET", "/v1/explain?pending=perhaps&user=ayse")
        #expect(list.status == 401, "it is for administrators")
    }

    @Test func `a quiet replay shows the sum alone`() throws {
        let server = try ServerProcess(data: data)
        #expect(try run(server, "trigger", "put", file(Self.row)).status == 0)
        for number in 1...3 { _ = try run(server, "put", "items/x\(number)", #"{"a": 5}"#) }
        let loud = try run(server, "trigger", "replay", "price", "--from", "1")
        #expect(loud.output.contains("create of items/x2"))
        let quiet = try run(server, "trigger", "replay", "price", "--from", "1", "--quiet")
        #expect(!quiet.output.contains("items/x2") && quiet.output.contains("3 skipped"))
        let json = try json(server, ["trigger", "replay", "price", "--from", "1", "--quiet"])
        #expect(json["changes"] == [] && json["skipped"] == 3)
    }

    @Test func `a refused row is shown with a mark under the mistake`() throws {
        let server = try ServerProcess(data: data)
        let refused = try run(
            server, "trigger", "put", file(Self.row.replacingOccurrences(of: "{{after.b}}", with: "{{aftr.b}}")))
        #expect(refused.status == 1)
        #expect(refused.errors.contains("there is no 'aftr'"))
        #expect(refused.errors.contains("title.it\n  line 1, column 16: {{item}} costa {{aftr.b}}\n"))
        let lines = refused.errors.split(separator: "\n")
        let place = try #require(lines.firstIndex { $0.contains("line 1") })
        let column = lines[place + 1].prefix { $0 != "^" }.count
        #expect(lines[place].dropFirst(column).hasPrefix("{{aftr.b}}"))
        let broken = try run(server, "trigger", "put", file("{\n  \"name\" \"x\"\n}"))
        #expect(broken.status == 2)
        #expect(broken.errors.contains("line 2, column 10:   \"name\" \"x\""))
    }

    @Test func `replay writes nothing without its flag, and after a kill it does only the rest`() throws {
        let first = try ServerProcess(data: data)
        let writes = (1...250).map { number -> JSONValue in
            ["op": "put", "path": .string("items/\(number)"), "data": ["a": 2]]
        }
        let client = try HTTPPeer(port: first.port)
        let token = try ServerProcess.run(["token", "operator", "--admin", "--data", data]).output.trimmingCharacters(
            in: .newlines)
        let headers = [("Authorization", "Bearer \(token)")]
        let batch: JSONValue = ["writes": .array(writes)]
        #expect(try client.request("POST", "/v1/documents", headers: headers, body: batch.bytes).status == 200)
        #expect(try run(first, "trigger", "put", file(Self.row)).status == 0)
        let dry = try run(first, "trigger", "replay", "price", "--from", "1")
        #expect(dry.status == 0, "\(dry.errors)")
        #expect(dry.output.contains("250 sent, 0 scheduled, 0 skipped, 0 failed"))
        #expect(dry.output.contains("Nothing was sent"))
        // One slice is done, then the server is killed.
        let slice: JSONValue = ["from": 1, "dryRun": false, "limit": 100]
        let answer = try client.request("POST", "/v1/triggers/price/replay", headers: headers, body: slice.bytes)
        #expect(try JSONValue(parsing: answer.body)["sent"] == 100)
        first.signal(SIGKILL)
        _ = first.wait()
        let second = try ServerProcess(data: data)
        let done = try json(second, ["trigger", "replay", "price", "--from", "1", "--go"])
        #expect([done["sent"], done["skipped"], done["failed"]] == [150, 100, 0])
        let again = try json(second, ["trigger", "replay", "price", "--from", "1", "--go"])
        #expect([again["sent"], again["skipped"]] == [0, 250])
    }
}
