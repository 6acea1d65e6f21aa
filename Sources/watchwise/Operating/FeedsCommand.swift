import ArgumentParser
import Client
import JSON

/// `watchwise feeds`
struct FeedsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feeds",
        abstract: "Show, put, try and run the feeds that bring documents from outside.",
        discussion: """
            A feed is a JSON object: name, kind (tmdb, gios or rss), url, key, interval, and what to fetch from it.

              {"name": "announcements", "kind": "rss", "url": "https://dept.example.org/rss", "interval": "10m"}

            EXAMPLES
              watchwise feeds
              watchwise feeds test announcements.json
              watchwise feeds put announcements.json
              watchwise feeds run announcements
            """,
        subcommands: [FeedList.self, FeedShow.self, FeedPut.self, FeedDelete.self, FeedRun.self, FeedTest.self],
        defaultSubcommand: FeedList.self
    )

    /// The path of a feed in the API.
    static func address(_ name: String, _ action: String = "") throws -> String {
        guard !name.isEmpty, !name.contains("/") else {
            throw CommandFailure(.misused, "'\(name)' is not the name of a feed")
        }
        return "feeds/" + name + action
    }

    /// The description in a file, with its name.
    static func row(_ file: String) throws -> (name: String, row: JSONValue) {
        let row = try JSONArgument.value(file == "-" ? file : "@" + file, name: file)
        guard let name = row["name"]?.stringValue else {
            throw CommandFailure(.misused, "\(file) must hold a JSON object with a name")
        }
        return (name, row)
    }
}

/// `watchwise feeds list`
struct FeedList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "All feeds and their state.",
        discussion: """
            Counts begin with the start of the server.

            EXAMPLES
              watchwise feeds
              watchwise feeds list --json
            """)

    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let client = try server.connect()
        let answer = try client.ask(client.request("GET", "feeds"))
        if server.json { return Terminal.line(answer.text) }
        let rows = answer["feeds"]?.arrayValue ?? []
        if rows.isEmpty { return Terminal.plainError("There are no feeds.") }
        var table = Table(
            ("NAME", .left), ("KIND", .left), ("EVERY", .left), ("LAST SUCCESS", .left), ("NEXT", .left),
            ("REQUESTS", .right), ("SAME", .right), ("WRITTEN", .right), ("FAILING", .right), ("LAST ERROR", .left))
        for row in rows {
            let text = { (name: String) in row[name]?.stringValue ?? "" }
            let state = { (name: String) in row["state"]?[name] ?? "" }
            let isEnabled = row["enabled"]?.boolValue ?? true
            table.add(
                text("name"), text("kind"), isEnabled ? text("interval") : "off",
                state("lastSuccess").stringValue ?? "never", state("nextRun").stringValue ?? "",
                state("requests").text, state("unchanged").text, state("written").text, state("failing").text,
                (state("lastError").stringValue ?? "").cut(to: 60))
        }
        table.show()
    }
}

/// `watchwise feeds show`
struct FeedShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "One feed, in the form that 'feeds put' takes; without its key.",
        discussion: """
            EXAMPLES
              watchwise feeds show announcements
            """)

    @Argument(help: "The feed's name.")
    var name: String
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let client = try server.connect()
        let row = try client.ask(client.request("GET", try FeedsCommand.address(name)))
        Terminal.line(server.json ? row.text : row.pretty)
    }
}

/// `watchwise feeds put`
struct FeedPut: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Add a feed or replace the one of the same name.",
        discussion: """
            FILE holds a feed that names itself, or a list of these; - reads standard input. A feed without a key keeps \
            its old key, as long as the server is the same; "key": null removes the key.

            EXAMPLES
              watchwise feeds put announcements.json
            """)

    @Argument(help: "The file.")
    var file: String
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let content = try JSONArgument.value(file == "-" ? file : "@" + file, name: file)
        let client = try server.connect()
        var answers: [JSONValue] = []
        for row in content.arrayValue ?? [content] {
            guard let name = row["name"]?.stringValue else {
                throw CommandFailure(.misused, "\(file): a feed without a name")
            }
            let request = client.request("PUT", try FeedsCommand.address(name)).with(body: row)
            let answer = try client.ask(request.with(key: AdminClient.newKey()))
            if !server.json { Terminal.line("feed \(name) is in force from seq \(answer["seq"]?.text ?? "?")") }
            answers.append(answer)
        }
        if server.json { Terminal.line(JSONValue.array(answers).text) }
    }
}

/// `watchwise feeds delete`
struct FeedDelete: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a feed; its documents stay.",
        discussion: """
            EXAMPLES
              watchwise feeds delete announcements
            """)

    @Argument(help: "The feed's name.")
    var name: String
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let client = try server.connect()
        let answer = try client.ask(client.request("DELETE", try FeedsCommand.address(name)))
        Terminal.line(server.json ? answer.text : "feed \(name) deleted, seq \(answer["seq"]?.text ?? "?")")
    }
}

/// `watchwise feeds run`
struct FeedRun: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Fetch everything of a feed now.",
        discussion: """
            The command does not wait for the end; 'watchwise feeds list' shows the result.

            EXAMPLES
              watchwise feeds run announcements
            """)

    @Argument(help: "The feed's name.")
    var name: String
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let client = try server.connect()
        let answer = try client.ask(client.request("POST", try FeedsCommand.address(name, "/run")))
        Terminal.line(server.json ? answer.text : "feed \(name) is being fetched")
    }
}

/// `watchwise feeds test`
struct FeedTest: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Fetch a feed once and show which documents it would write; nothing is written.",
        discussion: """
            FILE holds a feed with a name; - reads standard input. For large feeds only the first requests are made.

            EXAMPLES
              watchwise feeds test announcements.json
            """)

    @Argument(help: "The file.")
    var file: String
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let (name, row) = try FeedsCommand.row(file)
        var client = try server.connect()
        client.http.timeoutMilliseconds = 360_000
        let answer = try client.ask(client.request("POST", try FeedsCommand.address(name, "/test")).with(body: row))
        if server.json { return Terminal.line(answer.text) }
        for request in answer["requests"]?.arrayValue ?? [] {
            let outcome = request["error"]?.stringValue ?? "\(request["found"]?.text ?? "0") found"
            Terminal.plainError("\(request["url"]?.stringValue ?? ""): \(request["status"]?.text ?? "–"), \(outcome)")
        }
        let documents = answer["documents"]?.arrayValue ?? []
        if documents.isEmpty { return Terminal.plainError("Nothing would be written.") }
        var table = Table(("CHANGE", .left), ("PATH", .left), ("DATA", .left))
        for document in documents {
            let data = document["data"].map { $0.isNull ? "" : $0.text } ?? ""
            table.add(
                document["change"]?.stringValue ?? "", document["path"]?.stringValue ?? "",
                Terminal.isShown ? data.cut(to: 100) : data)
        }
        table.show()
        if let left = answer["left"]?.integerValue, left > 0 {
            Terminal.plainError(
                "\(left) more requests were not made.")
        }
    }
}
