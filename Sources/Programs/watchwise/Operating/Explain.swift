import ArgumentParser
import Client
import Console
import JSON

/// `watchwise explain`
struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Explain why somebody got a notification, or did not.",
        discussion: """
            With a notification's id: each step from the write to the person. With --path and --user: what each \
            trigger of the document did with its newest change, or with the change at --seq: whom it notified, what it \
            removed, and what became of a scheduled time. With --pending and --user: what is still to come for \
            the person: scheduled triggers, snoozed notifications and digests.

            EXAMPLES
              watchwise explain n4711
              watchwise explain n4711 --user alice
              watchwise explain --path people/525/credits/movie/603 --user alice
              watchwise explain --path stations/114 --user alice --seq 4709
              watchwise explain --pending --user alice
            """
    )

    @Argument(help: "The notification's id, such as n4711.")
    var id: String?
    @Option(help: .value("user", "The person."))
    var user: String?
    @Option(help: "A document's path.")
    var path: String?
    @Option(help: .value("seq", "The position of the change."))
    var seq: Int64?
    @Option(help: .value("n", "The number of newest changes to explain."))
    var limit: Int64 = 1
    @Flag(help: "Show what is still to come for the person.")
    var pending = false
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let client = try server.connect()
        if pending { return try showPending(client) }
        let answer: JSONValue
        switch (id, path) {
        case (let id?, nil):
            guard !id.contains("/") else { throw CommandFailure(.misused, "'\(id)' is not the id of a notification") }
            let address = "notifications/\(id)/explain"
            answer = try client.ask("GET", address, query: user.map { [("user", $0)] } ?? [])
        case (nil, let path?):
            guard let user else {
                throw CommandFailure(.misused, "--path requires --user: the person who got it or did not")
            }
            let range = seq.map { ("seq", $0) } ?? ("limit", limit)
            answer = try client.ask(
                "GET", "explain", query: [("path", path), ("user", user), (range.0, String(range.1))])
        default:
            throw CommandFailure(
                .misused, "explain takes a notification's ID, --path and --user, or --pending and --user")
        }
        if server.json { return Terminal.line(answer.text) }
        show(answer)
    }

    /// All pages as one list.
    private func showPending(_ client: AdminClient) throws {
        guard let user, id == nil, path == nil else {
            throw CommandFailure(.misused, "--pending requires --user, and takes nothing else")
        }
        var found: [JSONValue] = []
        var next: String?
        repeat {
            let query = [("pending", "true"), ("user", user), ("limit", "200")] + (next.map { [("after", $0)] } ?? [])
            let page = try client.ask("GET", "explain", query: query)
            found += page["pending"]?.arrayValue ?? []
            next = page["next"]?.stringValue
        } while next != nil
        found.sort { $0.shown("due") < $1.shown("due") }
        let answer: JSONValue = ["user": .string(user), "pending": .array(found)]
        if server.json { return Terminal.line(answer.text) }
        guard !found.isEmpty else { return Terminal.line("nothing is still to come for \(user)") }
        Table(of: found, [.left("DUE"), .left("TITLE"), .left("", "says")]).show()
    }

    private func show(_ answer: JSONValue) {
        if let trail = answer["trail"]?.arrayValue { Self.show(trail, indent: "") }
        for change in answer["changes"]?.arrayValue ?? [] {
            Terminal.line(change["write"]?.shown("says") ?? "")
            for trigger in change["triggers"]?.arrayValue ?? [] {
                Terminal.line("  " + trigger.shown("says"))
                Self.show(trigger["trail"]?.arrayValue ?? [], indent: "    ")
            }
        }
        Terminal.line(answer.shown("verdict"))
    }

    private static func show(_ trail: [JSONValue], indent: String) {
        var table = Table((indent, .left), ("", .left), ("", .left))
        for step in trail {
            let mark = step["holds"]?.boolValue.map { $0 ? "yes" : "no" } ?? "-"
            table.add(indent + step.shown("step"), mark, step.shown("says"))
        }
        Terminal.line(table.lines.filter { !$0.isEmpty }.joined(separator: "\n"))
    }
}
