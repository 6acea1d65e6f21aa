import ArgumentParser
import Client
import Console
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
}

/// `watchwise feeds list`
struct FeedList: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "All feeds and their state.",
        discussion: """
            Counts begin with the start of the server. A remark names mistakes of the last answer, which was read.

            EXAMPLES
              watchwise feeds
              watchwise feeds list --json
            """)

    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue { try server.connect().ask("GET", "feeds") }

    func show(_ answer: JSONValue) {
        let rows = answer["feeds"]?.arrayValue ?? []
        if rows.isEmpty { return Terminal.plainError("There are no feeds.") }
        let state = { (row: JSONValue, name: String) in row["state"]?[name] ?? "" }
        let count = { (head: String, name: String) in Table.Column.right(head) { state($0, name).text } }
        let columns: [Table.Column] = [
            .left("NAME"), .left("KIND"),
            .left("EVERY") { $0["enabled"]?.boolValue ?? true ? $0.shown("interval") : "off" },
            .left("LAST SUCCESS") { state($0, "lastSuccess").stringValue ?? "never" },
            .left("NEXT") { state($0, "nextRun").stringValue ?? "" },
            count("REQUESTS", "requests"), count("SAME", "unchanged"), count("WRITTEN", "written"),
            count("FAILING", "failing"), .left("LAST ERROR") { (state($0, "lastError").stringValue ?? "").cut(to: 60) },
            .left("REMARK") { (state($0, "remark").stringValue ?? "").cut(to: 60) },
        ]
        Table(of: rows, columns).show()
    }
}

/// `watchwise feeds show`
struct FeedShow: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "One feed, in the form that 'feeds put' takes; without its key.",
        discussion: """
            EXAMPLES
              watchwise feeds show announcements
            """)

    @Argument(help: "The feed's name.")
    var name: String
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue { try server.connect().ask("GET", AdminClient.address(of: "feed", name)) }

    func show(_ answer: JSONValue) { Terminal.line(answer.pretty) }
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
        let content = try JSONArgument.file(file)
        let client = try server.connect()
        var answers: [JSONValue] = []
        for row in content.arrayValue ?? [content] {
            guard let name = row["name"]?.stringValue else {
                throw CommandFailure(.misused, "\(file): a feed without a name")
            }
            answers.append(try client.change("PUT", AdminClient.address(of: "feed", name), row))
            if !server.json { Terminal.line("feed \(name) is in force from seq \(answers.last?["seq"]?.text ?? "?")") }
        }
        if server.json { Terminal.line(JSONValue.array(answers).text) }
    }
}

/// `watchwise feeds delete`
struct FeedDelete: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a feed; its documents stay.",
        discussion: """
            EXAMPLES
              watchwise feeds delete announcements
            """)

    @Argument(help: "The feed's name.")
    var name: String
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue { try server.connect().ask("DELETE", AdminClient.address(of: "feed", name)) }

    func show(_ answer: JSONValue) { Terminal.line("feed \(name) deleted, seq \(answer["seq"]?.text ?? "?")") }
}

/// `watchwise feeds run`
struct FeedRun: ServerCommand {
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

    func answer() throws -> JSONValue {
        try server.connect().ask("POST", AdminClient.address(of: "feed", name) + "/run")
    }

    func show(_ answer: JSONValue) { Terminal.line("feed \(name) is being fetched") }
}

/// `watchwise feeds test`
struct FeedTest: ServerCommand {
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

    func answer() throws -> JSONValue {
        let row = try JSONArgument.file(file)
        guard let name = row["name"]?.stringValue else {
            throw CommandFailure(.misused, "\(file) must hold a JSON object with a name")
        }
        var client = try server.connect()
        client.http.timeoutMilliseconds = 360_000
        return try client.ask(client.request("POST", AdminClient.address(of: "feed", name) + "/test").with(body: row))
    }

    func show(_ answer: JSONValue) {
        for request in answer["requests"]?.arrayValue ?? [] {
            let remark = request["remark"]?.stringValue.map { "; \($0)" } ?? ""
            let outcome = request["error"]?.stringValue ?? "\(request.shown("found")) found\(remark)"
            Terminal.plainError("\(request["url"]?.stringValue ?? ""): \(request["status"]?.text ?? "–"), \(outcome)")
        }
        let documents = answer["documents"]?.arrayValue ?? []
        if documents.isEmpty { return Terminal.plainError("Nothing would be written.") }
        Table(of: documents, [.left("CHANGE"), .left("PATH"), .left("DATA", cutTo: 100)]).show()
        if let left = answer["left"]?.integerValue, left > 0 {
            Terminal.plainError("\(left) more requests were not made.")
        }
    }
}
