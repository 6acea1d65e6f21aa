import ArgumentParser
import Client
import Console
import JSON

/// `watchwise webhooks`
struct WebhooksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks",
        abstract: "List the webhooks of triggers, send some again, show their secret.",
        discussion: """
            EXAMPLES
              watchwise webhooks list
              watchwise webhooks deliveries --trigger director-release --state pending
              watchwise webhooks enable 3
              watchwise webhooks replay 4711
              watchwise webhooks replay --trigger director-release --since 2026-11-21T10:00:00Z
              watchwise webhooks secret
            """,
        subcommands: [
            WebhooksList.self, WebhooksDeliveries.self, WebhooksEnable.self, WebhooksReplay.self, WebhooksSecret.self,
        ],
        defaultSubcommand: WebhooksList.self
    )
}

/// `watchwise webhooks list`
struct WebhooksList: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "The endpoints and their state.",
        discussion: """
            EXAMPLES
              watchwise webhooks list --json
            """)

    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue { try server.connect().ask("GET", "webhooks") }

    func show(_ answer: JSONValue) {
        let endpoints = answer["webhooks"]?.arrayValue ?? []
        if endpoints.isEmpty { return Terminal.plainError("No trigger has a webhook.") }
        let triggers = Table.Column.left("TRIGGERS") { endpoint in
            endpoint["triggers"]?.arrayValue?.compactMap(\.stringValue).joined(separator: ", ") ?? ""
        }
        let columns: [Table.Column] = [
            .right("ID"), .left("STATE"), .right("PENDING"), .left("NEXT"), .left("URL"), triggers,
            .left("LAST ANSWER", "answer", cutTo: 60),
        ]
        Table(of: endpoints, columns).show()
    }
}

/// `watchwise webhooks deliveries`
struct WebhooksDeliveries: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deliveries", abstract: "Webhooks that wait, were delivered or failed for good; newest first.",
        discussion: """
            EXAMPLES
              watchwise webhooks deliveries
              watchwise webhooks deliveries --state pending --limit 500
            """)

    @Option(help: .value("id", "Only to this endpoint."))
    var webhook: String?
    @Option(help: .value("name", "Only those of this trigger."))
    var trigger: String?
    @Option(help: .value("state", "pending, delivered or dead."))
    var state: String?
    @Option(help: .value("n", "The largest number to show."))
    var limit = 50
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let query = [("webhook", webhook), ("trigger", trigger), ("state", state)].compactMap { item in
            item.1.map { (item.0, $0) }
        }
        let deliveries = try server.connect().pages(
            of: "webhooks/deliveries", "deliveries", query: query, limit: limit)
        deliveries.show(
            asJSON: server.json, none: "There are no deliveries.",
            .right("ID"), .left("STATE"), .left("TRIGGER"), .left("PATH"), .left("TIME"), .right("TRIED", "attempts"),
            .left("NEXT"), .left("LAST ANSWER", "answer", cutTo: 60))
    }
}

/// `watchwise webhooks enable`
struct WebhooksEnable: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Enable an endpoint that answered 410.",
        discussion: """
            The webhooks that it missed are among the dead letters: watchwise dead retry --all.

            EXAMPLES
              watchwise webhooks enable 3
            """)

    @Argument(help: .value("id", "The endpoint's number, as 'watchwise webhooks list' shows it."))
    var id: Int64
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue { try server.connect().change("POST", "webhooks/\(id)/enable") }

    func show(_ answer: JSONValue) {
        let wasDisabled = answer["wasDisabled"]?.boolValue ?? false
        Terminal.line("webhook \(id) \(wasDisabled ? "is enabled" : "was not disabled")")
    }
}

/// `watchwise webhooks replay`
struct WebhooksReplay: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Send delivered webhooks again, with the same ids.",
        discussion: """
            One delivery by its number, or all deliveries of a trigger for changes after a position or from \
            a time on. A receiver that remembers webhook-id handles none of them twice.

            EXAMPLES
              watchwise webhooks replay 4711
              watchwise webhooks replay --trigger director-release --since 2026-11-21T10:00:00Z
              watchwise webhooks replay --trigger director-release --since 4711
            """)

    @Argument(help: .value("id", "A delivery's number."))
    var id: Int64?
    @Option(help: .value("name", "Instead of one delivery, those of this trigger."))
    var trigger: String?
    @Option(help: .value("since", "With --trigger: after this position, or from this time on."))
    var since: String?
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue {
        let client = try server.connect()
        switch (id, trigger, since) {
        case (let id?, nil, nil): return try client.change("POST", "webhooks/deliveries/\(id)/replay")
        case (nil, let trigger?, let since?):
            let from: JSONValue = Int64(since).map { .integer($0) } ?? .string(since)
            return try client.change("POST", "webhooks/replay", ["trigger": .string(trigger), "since": from])
        default: throw CommandFailure(.misused, "give ID, or --trigger NAME --since TIME")
        }
    }

    func show(_ answer: JSONValue) {
        let count = answer["replayed"]?.integerValue ?? 0
        Terminal.line("\(count.counted("webhook is", "webhooks are")) sent again")
    }
}
