import Foundation
import JSON
import TestSupport
import Testing

/// Mistakes of operators, and earlier steps that make a later one fail.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct OperatorSlipTests {
    let folder = TemporaryFolder()

    @Test func `a signal that means nothing does not end the server`() throws {
        let server = try ServerProcess(data: folder.path)
        server.signal(SIGUSR1)
        server.signal(SIGUSR2)
        #expect(try HTTPPeer(port: server.port).request("GET", "/healthz").status == 200)
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
    }

    @Test(arguments: [
        ["--help"], ["serve", "--help"], ["--version"], ["--version", "--json"], ["settings"], ["token", "alice"],
        ["stats"], ["audit"], ["user", "export", "alice"], ["list", "films"],
    ])
    func `a result that cannot be written is a failure`(_ command: [String]) throws {
        let server = try ServerProcess(data: folder.path)
        let place: [String] =
            switch command[0] {
            case "token": ["--data", folder.path]
            case "stats", "audit", "user", "list":
                ["--server", "http://127.0.0.1:\(server.port)", "--data", folder.path]
            default: []
            }
        _ = try ServerProcess.run(
            ["put", "films/1", "{}", "--data", folder.path, "--server", "http://127.0.0.1:\(server.port)"])
        _ = try ServerProcess.run(
            ["listen", "alice", "--data", folder.path, "--server", "http://127.0.0.1:\(server.port)"] + [
                "--until-answered"
            ],
            input: "ping\n")
        let full = try ServerProcess.run(command + place, redirection: ">/dev/full")
        #expect(full.status == 1)
        #expect(full.errors.contains("cannot be written: No space left on device"), "\(full.errors)")
    }

    @Test func `a slip in the configuration file is shown with its line and column`() throws {
        let file = folder.path + "-slip.json"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Data("{\"loops\": 2,\n \"data\" \"d\"}".utf8).write(to: URL(fileURLWithPath: file))
        let refused = try ServerProcess.run(["serve", "--config", file])
        #expect(refused.status == 2)
        #expect(refused.errors.contains("  line 2, column 9:  \"data\" \"d\"}"))
        let lines = refused.errors.split(separator: "\n")
        #expect(lines.last?.last == "^")
    }

    @Test func `a trigger file that has gone does not stop a server that has its table, but a new one`() throws {
        let rows = folder.path + "-rows.json"
        defer { try? FileManager.default.removeItem(atPath: rows) }
        let row = #"[{"name": "t", "event": "write", "path": "items/{item}", "audience": "everyone", "title": "x"}]"#
        try Data(row.utf8).write(to: URL(fileURLWithPath: rows))
        let arguments = ["--listen", "127.0.0.1:0", "--triggers", rows]
        do {
            let first = try ServerProcess(data: folder.path, arguments: arguments)
            first.signal(SIGTERM)
            #expect(first.wait() == 0)
        }
        try FileManager.default.removeItem(atPath: rows)
        let again = try ServerProcess(data: folder.path, arguments: arguments)
        let url = "http://127.0.0.1:\(again.port)"
        let list = try ServerProcess.run(["trigger", "list", "--server", url, "--data", folder.path])
        #expect(list.output.contains("items/{item}"))
        let new = try ServerProcess.run(["serve", "--data", folder.path + "/new"] + arguments)
        #expect(new.status == 2)
        #expect(new.errors.contains(rows))
    }

    @Test func `a folder that an earlier version found elsewhere is not created again beside the configuration`() throws
    {
        let here = folder.path + "/here"
        let there = folder.path + "/there"
        for path in [here + "/d", there] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        try Data().write(to: URL(fileURLWithPath: here + "/d/watchwise.db"))
        try Data(#"{"data": "d"}"#.utf8).write(to: URL(fileURLWithPath: there + "/w.json"))
        let refused = try ServerProcess.run(["serve", "--config", there + "/w.json"], in: here)
        #expect(refused.status == 2)
        #expect(refused.errors.contains("so d is \(there)/d, where no database is"))
    }

    @Test(.enabled(if: ServerProcess.canBeAnother, "only root can be somebody else"))
    func `an error of permission says whose the file is and under which user the program runs`() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let refused = try ServerProcess.run(["serve", "--data", folder.path], as: ServerProcess.nobody)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("belongs to root (mode 0700), and this runs as nobody"), "\(refused.errors)")
        let token = try ServerProcess.run(["token", "alice", "--data", folder.path], as: ServerProcess.nobody)
        #expect(token.errors.contains("belongs to root (mode 0700), and this runs as nobody"), "\(token.errors)")
        let file = folder.path + "/w.json"
        try Data("{}".utf8).write(to: URL(fileURLWithPath: file))
        let config = try ServerProcess.run(["serve", "--config", file], as: ServerProcess.nobody)
        #expect(config.errors.contains("and this runs as nobody"), "\(config.errors)")
    }

    @Test func `a broadcast that reaches nobody is asked about, and one that was sent is taken back`() throws {
        let server = try ServerProcess(data: folder.path)
        let place = ["--server", "http://127.0.0.1:\(server.port)", "--data", folder.path]
        let misspelt = try ServerProcess.run(["broadcast", "--audience", "person:nolna", "Hello"] + place)
        #expect(misspelt.status == 3)
        #expect(misspelt.errors.contains("nobody follows person:nolna; nothing was sent"))
        let words = ["broadcast", "--audience", "person:nolna", "Hello", "--yes", "--json"]
        let sent = try ServerProcess.run(words + place)
        #expect(sent.status == 0)
        let id = try #require(try JSONValue(parsing: Array(sent.output.utf8))["id"]?.stringValue)
        let cancelled = try ServerProcess.run(["broadcast", "cancel", id] + place)
        #expect(cancelled.status == 0)
        #expect(cancelled.output == "broadcast \(id) is taken back\n")
        #expect(try ServerProcess.run(["broadcast", "cancel", "4711"] + place).status == 1)
        let dry = try ServerProcess.run(
            ["broadcast", "--audience", "online", "Hi", "--expires", "1m", "--dry-run"] + place)
        #expect(dry.status == 3 && dry.output.hasPrefix("online: 0 people\n"), "\(dry.output)")
        #expect(dry.output.hasSuffix("Nothing was sent.\n"))
        #expect(dry.errors.contains("nobody is online"))
    }

    @Test func `a person is erased only after a question, or with --yes`() throws {
        let server = try ServerProcess(data: folder.path)
        let place = ["--server", "http://127.0.0.1:\(server.port)", "--data", folder.path]
        #expect(try ServerProcess.run(["user", "invite", "alice"] + place).status == 0)
        let unasked = try ServerProcess.run(["user", "erase", "alice", "--wait"] + place)
        #expect(unasked.status == 3 && unasked.output.isEmpty)
        #expect(unasked.errors.contains("everything that is kept about alice goes, for good; nothing was erased."))
        #expect(unasked.errors.contains("--yes"))
        #expect(try ServerProcess.run(["user", "export", "alice"] + place).status == 0)
        // A dry run changes nothing, so nothing is asked.
        #expect(try ServerProcess.run(["user", "erase", "alice", "--dry-run"] + place).status == 0)
        let erased = try ServerProcess.run(["user", "erase", "alice", "--yes", "--wait", "--json"] + place)
        #expect(erased.status == 0, "\(erased.errors)")
        #expect(try JSONValue(parsing: Array(erased.output.utf8))["state"] == "done")
    }

    @Test func `broadcasts that wait are listed, shown and cancelled`() throws {
        let server = try ServerProcess(data: folder.path)
        let place = ["--server", "http://127.0.0.1:\(server.port)", "--data", folder.path]
        func run(_ words: String...) throws -> ServerProcess.Ended {
            try ServerProcess.run(words + place)
        }
        let chat = try Chatter(port: server.port, token: ServerProcess.token("alice", data: folder.path))
        let sent = try run("broadcast", "--audience", "everyone", "Later", "--at", "2h")
        #expect(sent.status == 0 && sent.output.hasPrefix("broadcast 1 to everyone waits until "), "\(sent.errors)")
        let clock = try run("broadcast", "--audience", "everyone", "Eight", "--at", "2026-12-31T20:00")
        #expect(clock.status == 0 && clock.output.contains("waits until 2026-12-31T20:00:00.000 of each clock"))
        let list = try run("broadcasts", "--state", "scheduled")
        #expect(list.output.contains("Later") && list.output.contains("0 of 1 (0 %)"))
        #expect(
            try run("broadcasts", "show", "1").output.contains("state: scheduled\naudience: everyone\ntitle: Later\n"))
        #expect(try run("broadcasts", "cancel", "1").output == "broadcast 1 is taken back\n")
        #expect(try run("broadcast", "show", "1").output.contains("state: cancelled"))
        let json = try JSONValue(parsing: Array(run("broadcast", "list", "--json").output.utf8))
        #expect(json["broadcasts"]?.arrayValue?.map { $0["state"] } == ["scheduled", "cancelled"])
        #expect(try run("broadcasts", "list", "--state", "gone").status == 1)
        #expect(try run("broadcast", "--audience", "everyone", "T", "--at", "soon").status == 1)
        #expect(try run("broadcasts", "show", "99").status == 1)
        #expect(try chat.ok(["type": "notifications"])["notifications"] == [])
    }

    @Test func `a backup tells where it is and how large, in JSON`() throws {
        let server = try ServerProcess(data: folder.path)
        let file = folder.path + "-copy.db"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let url = "http://127.0.0.1:\(server.port)"
        let ended = try ServerProcess.run(["backup", file, "--json", "--server", url, "--data", folder.path])
        #expect(ended.status == 0)
        let answer = try JSONValue(parsing: Array(ended.output.utf8))
        #expect(answer["file"]?.stringValue == file)
        let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber
        #expect(answer["bytes"]?.integerValue == size?.int64Value)
    }
}
