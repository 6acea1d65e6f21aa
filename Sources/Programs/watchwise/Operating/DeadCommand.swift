import ArgumentParser
import Client
import Console
import JSON

/// `watchwise dead`
struct DeadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead",
        abstract: "List dead letters, retry them, or delete them.",
        discussion: """
            Triggers that failed on a change, and webhooks that were not delivered after the last attempt.

            EXAMPLES
              watchwise dead list
              watchwise dead retry 7
              watchwise dead retry --all --trigger director-release
              watchwise dead delete 7
            """,
        subcommands: [DeadList.self, DeadRetry.self, DeadDelete.self],
        defaultSubcommand: DeadList.self
    )
}

/// `watchwise dead list`
struct DeadList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "The dead letters, newest first.",
        discussion: """
            EXAMPLES
              watchwise dead list
              watchwise dead list --trigger director-release --limit 500 --json
            """)

    @Option(help: .value("name", "Only those of this trigger."))
    var trigger: String?
    @Option(help: .value("n", "The largest number to show."))
    var limit = 50
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let letters = try server.connect().pages(
            of: "dead", "dead", query: trigger.map { [("trigger", $0)] } ?? [], limit: limit)
        letters.show(
            asJSON: server.json, none: "There are no dead letters.",
            .right("ID"), .left("KIND"), .left("TRIGGER"), .left("PATH"), .left("AT"), .left("REASON", cutTo: 80))
    }
}

/// The dead letters that a command is applied to.
struct DeadChoice: ParsableArguments {
    @Argument(help: .value("id", "Numbers, as 'watchwise dead list' shows them."))
    var ids: [Int64] = []
    @Flag(help: "All of them.")
    var all = false
    @Option(help: .value("name", "With --all: only those of this trigger."))
    var trigger: String?

    /// The numbers, the oldest first.
    func numbers(_ client: AdminClient) throws -> [Int64] {
        guard all else {
            guard !ids.isEmpty, trigger == nil else { throw CommandFailure(.misused, "give ID …, or --all") }
            return ids
        }
        guard ids.isEmpty else { throw CommandFailure(.misused, "give ID …, or --all, not both") }
        let letters = try client.pages(
            of: "dead", "dead", query: trigger.map { [("trigger", $0)] } ?? [], limit: .max)
        return letters.entries.compactMap { $0["id"]?.integerValue }.reversed()
    }

    /// Sends a request for each; a refusal is printed and does not stop the others.
    ///
    /// - Throws: `CommandFailure` when one was refused.
    func each(_ server: ServerOptions, _ done: String, _ request: (AdminClient, Int64) -> AdminRequest) throws {
        let client = try server.connect()
        let numbers = try numbers(client)
        var answers: [JSONValue] = []
        var refused = 0
        for id in numbers {
            do {
                answers.append(try client.ask(request(client, id)))
            } catch let failure as CommandFailure {
                if numbers.count == 1 { throw failure }
                refused += 1
                Terminal.error("\(id): \(failure)")
            }
        }
        if server.json {
            Terminal.line(JSONValue.array(answers).text)
        } else {
            Terminal.line("\(Int64(answers.count).counted("letter", "letters")) \(done)")
        }
        if refused > 0 { throw CommandFailure(.failed, "\(refused) of \(numbers.count) were refused") }
    }
}

/// `watchwise dead retry`
struct DeadRetry: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Retry dead letters; those that succeed are deleted.",
        discussion: """
            A webhook is sent again, with the id it had, to the present address of its trigger.

            EXAMPLES
              watchwise dead retry 7 8
              watchwise dead retry --all
            """)

    @OptionGroup var choice: DeadChoice
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        try choice.each(server, "tried again") { client, id in
            client.request("POST", "dead/\(id)/retry").with(key: AdminClient.newKey())
        }
    }
}

/// `watchwise dead delete`
struct DeadDelete: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete dead letters.",
        discussion: """
            EXAMPLES
              watchwise dead delete 7
              watchwise dead delete --all --trigger director-release
            """)

    @OptionGroup var choice: DeadChoice
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        try choice.each(server, "deleted") { client, id in client.request("DELETE", "dead/\(id)") }
    }
}
