import ArgumentParser
import Client
import Console
import JSON

/// `watchwise trigger test`
struct TriggerTest: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Show what a trigger would do about a change, without doing it.",
        discussion: """
            --before and --after make the change. With only --after, the stored document comes before it. With neither, the newest \
            change of the document is tested again. null means that there is no document.

            EXAMPLES
              watchwise trigger test new-follower --path users/bob/followers/alice --after '{}' --before null
              watchwise trigger test director-release --path people/525/credits/movie/603
              watchwise trigger test worse --path stations/114 --before '{"index": 2}' --after '{"index": 4}'
              watchwise trigger test worse --row worse.json --path stations/114 --after @after.json --user alice
              watchwise trigger test due --path users/anna/tasks/7 --now 2026-12-24T08:00:00Z
              watchwise trigger test new-recommendation --path recommendations/alice:bob-1 --reason "no push came"
            """
    )

    @Argument(help: "The trigger's name.")
    var name: String
    @Option(help: "Path of the document that changes.")
    var path: String
    @Option(help: .value("json", "The document before: JSON, @FILE, - or null."))
    var before: String?
    @Option(help: .value("json", "The document after: JSON, @FILE, - or null."))
    var after: String?
    @Option(help: .value("file", "Test the row in this file; it is not stored."))
    var row: String?
    @Option(help: .value("user", "Show only this recipient."))
    var user: String?
    @Option(help: .value("time", "The time of the change, such as 2026-12-24T08:00:00Z."))
    var now: String?
    @Option(help: .value("n", "Recipients shown."))
    var limit: Int64?
    @Option(help: .value("text", "Why, for the audit; needed below chats and recommendations, with the scope admin."))
    var reason: String?
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue {
        let address = try AdminClient.address(of: "trigger", name)
        var body: JSONValue = ["path": .string(path)]
        let row = try row.map { try Self.row(named: name, in: $0) }
        body["row"] = row
        if let before { body["before"] = .some(try JSONArgument.value(before, name: "--before")) }
        if let after { body["after"] = .some(try JSONArgument.value(after, name: "--after")) }
        body["user"] = user.map { .string($0) }
        body["now"] = now.map { .string($0) }
        body["limit"] = limit.map { .integer($0) }
        body["reason"] = reason.map { .string($0) }
        let client = try server.connect()
        return try client.ask(client.request("POST", address + "/test").with(body: body)) { refusal in
            row.flatMap { RowMistake.place(refusal, in: $0) }
        }
    }

    func show(_ answer: JSONValue) { TriggerTestPage(answer: answer).show() }

    /// The row of a file, or the row with that name in a list.
    private static func row(named name: String, in file: String) throws -> JSONValue {
        let content = try JSONArgument.file(file)
        guard let rows = content.arrayValue else { return content }
        guard let row = rows.first(where: { $0["name"]?.stringValue == name }) else {
            throw CommandFailure(.misused, "\(file) has no row named \(name)")
        }
        return row
    }
}

/// The answer to a test, for people.
private struct TriggerTestPage {
    let answer: JSONValue

    private func text(_ name: String) -> String { answer[name].map(Self.plain) ?? "" }

    private static func plain(_ value: JSONValue) -> String { value.stringValue ?? value.text }

    func show() {
        showChange()
        guard answer["matched"]?.boolValue == true else { return }
        showTemplates()
        showRecipients()
        if let webhook = answer["webhook"] {
            Terminal.line("\nwebhook to \(webhook["url"].map(Self.plain) ?? ""), with the data")
            Terminal.line((webhook["data"] ?? .null).pretty)
        }
        Terminal.line("\nNothing was written.")
    }

    private func showChange() {
        var table = Table(("", .left), ("", .left))
        table.add("trigger", text("trigger") + (text("row") == "given" ? " (the row given)" : ""))
        table.add("change", "\(text("event")) of \(text("path")) (before: \(text("before")), after: \(text("after")))")
        table.add("matches", answer["mismatch"]?["message"].map { "no: " + Self.plain($0) } ?? "yes")
        for (name, value) in answer["names"]?.objectValue?.members ?? [] {
            table.add("  {\(name)}", Self.plain(value))
        }
        for name in ["condition", "at"] {
            guard let expression = answer[name] else { continue }
            let value = expression["failure"] ?? expression["value"] ?? .null
            table.add(name, "\(Self.plain(value))   \(Self.plain(expression["expression"] ?? "").cut(to: 80))")
        }
        table.add("outcome", outcome)
        if let notification = answer["notification"] {
            let kind = ["kind", "level", "collapse", "expires"].compactMap { name in
                notification[name].map { (name == "kind" || name == "level" ? "" : name + " ") + Self.plain($0) }
            }
            table.add("notification", kind.joined(separator: ", "))
            let size = answer["audience"]?["size"]?.integerValue ?? 0
            let people = size.counted("person", "people")
            table.add("audience", "\(answer["audience"]?["to"].map(Self.plain) ?? ""): \(people)")
            if answer["replaces"] != nil { table.add("replaces", text("replaces")) }
        }
        table.show()
    }

    private var outcome: String {
        switch text("outcome") {
        case "notify": "it notifies"
        case "schedule": "it is scheduled for \(text("scheduled"))"
        case "fail": "it fails: \(text("field")): \(text("reason"))"
        default: "nothing: \(text("reason"))"
        }
    }

    private func showTemplates() {
        let templates = answer["templates"]?.arrayValue ?? []
        if !templates.isEmpty {
            Terminal.line("")
            Table(of: templates, [.left("TEMPLATE", "field"), .left("RESULT") { $0.shown("text").cut(to: 100) }]).show()
        }
        let missing = (answer["missing"]?.arrayValue ?? []).map(Self.plain)
        if !missing.isEmpty { Terminal.line("\nmissing, and therefore empty: \(missing.joined(separator: ", "))") }
    }

    private func showRecipients() {
        let recipients = answer["recipients"]?.arrayValue ?? []
        guard !recipients.isEmpty else { return }
        let columns: [Table.Column] = [
            .left("TO", "user"), .left("LANGUAGE") { $0["language"]?.stringValue ?? "-" },
            .left("ALERT") { recipient in
                guard recipient["sent"]?.boolValue == true else { return "not sent" }
                return recipient["alert"]?.boolValue == true ? "yes" : "no"
            },
            .left("TITLE") { $0.shown("title").cut(to: 60) }, .left("WHY", "says"),
        ]
        Terminal.line("")
        Table(of: recipients, columns).show()
        let more = answer["more"]?.integerValue ?? 0
        if more > 0, recipients.count != 1 || answer["user"] == nil {
            Terminal.line("and \(more.grouped) more")
        }
    }
}
