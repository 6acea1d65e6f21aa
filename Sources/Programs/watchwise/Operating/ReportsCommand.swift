import ArgumentParser
import Client
import Console
import JSON
import Model

/// `watchwise reports`
struct ReportsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reports",
        abstract: "Look at what users have reported, and decide.",
        discussion: """
            EXAMPLES
              watchwise reports
              watchwise reports show r12
              watchwise reports decide r12 dismiss --statement "This is within the rules."
              watchwise reports decide r12 mute --until 24h --statement "Insults; object at help@example.org"
            """,
        subcommands: [ReportsList.self, ReportsShow.self, ReportsDecide.self],
        defaultSubcommand: ReportsList.self
    )
}

/// `watchwise reports list`
struct ReportsList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "The open reports, newest first.",
        discussion: """
            EXAMPLES
              watchwise reports list
              watchwise reports list --state decided --category spam --user mallory --limit 500 --json
            """)

    @Option(help: .value("state", "open, decided or all."))
    var state = "open"
    @Option(help: .value("category", "Only these: \(ReportCategory.form)."))
    var category: String?
    @Option(help: .value("user", "Only those about this user."))
    var user: String?
    @Option(help: .value("n", "The largest number to show."))
    var limit = 50
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        var query: [(String, String)] = state == "all" ? [] : [("state", state)]
        if let category { query.append(("category", category)) }
        if let user { query.append(("user", user)) }
        let reports = try server.connect().pages(of: "reports", "reports", query: query, limit: limit)
        reports.show(
            asJSON: server.json, none: "There are no such reports.",
            .left("ID", "report"), .left("AT"), .left("STATE"), .left("ABOUT", "user"), .left("BY", "reporter"),
            .left("CATEGORY"), .left("CHAT"), .right("N"), .left("ACTION"), .left("REASON", cutTo: 60))
    }
}

/// `watchwise reports show`
struct ReportsShow: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "One report with the messages that it copied.",
        discussion: """
            EXAMPLES
              watchwise reports show r12
            """)

    @Argument(help: .value("id", "The report, as 'watchwise reports' lists it."))
    var id: String
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue { try server.connect().ask("GET", AdminClient.address(of: "report", id)) }

    func show(_ answer: JSONValue) { Terminal.line(answer.pretty) }
}

/// `watchwise reports decide`
struct ReportsDecide: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "decide", abstract: "Act on a report, and on all open reports of the same.",
        discussion: """
            The user whom it is about gets the statement: say what, why, for how long, and how to object. When a report \
            is dismissed, those who made it get the statement. The note is for moderators alone.

            EXAMPLES
              watchwise reports decide r12 warn --statement "Please keep to films." --note "first time"
              watchwise reports decide r12 delete --statement "Your message broke rule 3."
              watchwise reports decide r12 ban --until 2027-01-01T00:00:00Z --statement "Threats."
            """)

    @Argument(help: .value("id", "The report, as 'watchwise reports' lists it."))
    var id: String
    @Argument(help: .value("action", "dismiss, warn, delete (the message), mute or ban."))
    var action: String
    @Option(help: .value("time", "When a mute or a ban ends: a time, or 24h. (default: never)"))
    var until: String?
    @Option(help: .value("text", "What the user gets."))
    var statement: String
    @Option(help: .value("text", "For moderators alone."))
    var note: String?
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue {
        var body: JSONValue = ["action": .string(action), "statement": .string(statement)]
        body["until"] = until.map { .string(Surroundings.time($0)) }
        body["note"] = note.map { .string($0) }
        return try server.connect().change("POST", AdminClient.address(of: "report", id) + "/decide", body)
    }

    func show(_ answer: JSONValue) {
        let reports = (answer["reports"]?.arrayValue ?? []).compactMap(\.stringValue)
        Terminal.line("\(reports.joined(separator: ", ")) decided: \(action)")
    }
}
