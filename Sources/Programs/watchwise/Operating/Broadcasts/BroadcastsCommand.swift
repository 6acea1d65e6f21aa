import ArgumentParser
import Client
import Console
import JSON
import Model

/// `watchwise broadcasts`
struct BroadcastsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broadcasts",
        abstract: "Look at broadcasts that were sent or wait for their time, and take them back.",
        discussion: """
            EXAMPLES
              watchwise broadcasts
              watchwise broadcasts --state scheduled
              watchwise broadcasts show 7
              watchwise broadcasts cancel 7
            """,
        subcommands: [BroadcastList.self, BroadcastShow.self, BroadcastChangeCommand.self, BroadcastCancel.self],
        defaultSubcommand: BroadcastList.self
    )
}

/// `watchwise broadcasts list`
struct BroadcastList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "The broadcasts, newest first.",
        discussion: """
            DONE is the part of the audience whose turn has come and whose pushes are decided; LIVE the devices that got it \
            while they were connected, since the server was started.

            EXAMPLES
              watchwise broadcasts list
              watchwise broadcasts list --state scheduled --limit 500 --json
            """)

    @Option(help: .value("state", "scheduled, sending, sent, cancelled or expired. (default: all)"))
    var state: String?
    @Option(help: .value("n", "The largest number to show."))
    var limit = 50
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let query = state.map { [("state", $0)] } ?? []
        var broadcasts = try server.connect().pages(of: "broadcasts", "broadcasts", query: query, limit: limit)
        if !server.json {
            broadcasts = Listing(
                name: broadcasts.name, entries: broadcasts.entries.map(BroadcastShow.withShare), next: broadcasts.next)
        }
        broadcasts.show(
            asJSON: server.json, none: "There are no such broadcasts.",
            .right("ID"), .left("AT"), .left("STATE"), .left("AUDIENCE"), .right("PEOPLE", "size"),
            .right("DONE", "done"), .right("LIVE", "delivered"), .right("PUSHED"), .right("FAILED"),
            .left("TITLE", cutTo: 60))
    }
}

/// `watchwise broadcasts show`
struct BroadcastShow: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "One broadcast and how far it has come.",
        discussion: """
            EXAMPLES
              watchwise broadcasts show 7
            """)

    @Argument(help: .value("id", "The number that 'watchwise broadcast' printed."))
    var id: String
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue { try server.connect().ask("GET", AdminClient.address(of: "broadcast", id)) }

    func show(_ answer: JSONValue) {
        let rows = [
            ("state", ""), ("audience", ""), ("title", ""), ("kind", ""), ("level", ""), ("at", ""), ("sent", ""),
            ("next", ""), ("expires", ""),
            ("size", "people"), ("delivered", "live devices"), ("queued", "pushes under way"), ("pushed", ""),
            ("skipped", ""), ("failed", ""),
        ]
        for (member, name) in rows where !answer.shown(member).isEmpty {
            Terminal.line((name.isEmpty ? member : name) + ": " + answer.shown(member))
        }
        Terminal.line("done: \(Self.withShare(answer).shown("done"))")
    }

    /// The broadcast with the share of its progress as people read it.
    static func withShare(_ broadcast: JSONValue) -> JSONValue {
        var shown = broadcast
        let progress = broadcast["progress"]
        let (total, done) = (progress?["total"]?.integerValue ?? 0, progress?["done"]?.integerValue ?? 0)
        let percent = total > 0 ? " (\(done * 100 / total) %)" : ""
        shown["done"] = .string("\(done.grouped) of \(total.grouped)\(percent)")
        return shown
    }
}

/// `watchwise broadcasts cancel`
struct BroadcastCancel: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Take a broadcast back: it is not sent any more, and disappears from every screen and inbox.",
        discussion: """
            EXAMPLES
              watchwise broadcasts cancel 7
            """
    )

    @Argument(help: .value("id", "The number that 'watchwise broadcast' printed."))
    var id: String
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue { try server.connect().ask("DELETE", AdminClient.address(of: "broadcast", id)) }

    func show(_ answer: JSONValue) { Terminal.line("broadcast \(id) is taken back") }
}
