import ArgumentParser
import Client
import Configuration
import Console
import JSON

/// `watchwise trigger`
struct TriggerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trigger",
        abstract: "Look at the trigger table and change it.",
        discussion: """
            test shows what a row would do, runs shows what it did, replay sends what is missing.

            EXAMPLES
              watchwise trigger list
              watchwise trigger show director-release > director-release.json
              watchwise trigger test director-release --row director-release.json --path people/525/credits/movie/603
              watchwise trigger put director-release.json
              watchwise trigger put premiere director-release.json
              watchwise trigger runs director-release
              watchwise trigger replay director-release --from 4000
              watchwise trigger delete premiere
            """,
        subcommands: [
            TriggerList.self, TriggerShow.self, TriggerTest.self, TriggerPut.self, TriggerRuns.self,
            TriggerReplay.self, TriggerDelete.self,
        ]
    )
}

/// `watchwise trigger list`
struct TriggerList: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "All triggers, and what they did since the start of the server.",
        discussion: """
            MATCHED counts the changes on the path of a trigger; FIRED those that notified somebody, WAITS those \
            that were scheduled, SKIPPED those whose condition was not true, FAILED those in 'GET /v1/dead'. A row \
            that this version cannot compile is disabled, and the list says why.

            EXAMPLES
              watchwise trigger list
            """)

    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue { try server.connect().ask("GET", "triggers") }

    func show(_ answer: JSONValue) {
        let rows = answer["triggers"]?.arrayValue ?? []
        if rows.isEmpty {
            return Terminal.plainError(
                """
                There are no triggers. 'watchwise trigger put NAME' takes those of a ready application: \
                \(ReadyApplication.names).
                """)
        }
        /// A count of the trigger; those with reasons are objects.
        func count(_ head: String, _ member: String) -> Table.Column {
            .right(head) { row in
                let count = answer["counts"]?[row.shown("name")]?[member]
                let parts = count?.objectValue?.members.map(\.value) ?? count.map { [$0] } ?? []
                return parts.reduce(0) { $0 + ($1.integerValue ?? 0) }.grouped
            }
        }
        let columns: [Table.Column] = [
            .left("NAME"), .left("ON", "event"), .left("PATH"), .left("AUDIENCE"), .left("KIND"),
            .left("LEVEL") { $0["level"]?.stringValue ?? "by document" },
            count("MATCHED", "matched"), count("FIRED", "fired"), count("WAITS", "scheduled"),
            count("SKIPPED", "skipped"), count("FAILED", "failed"),
            .left("") { row in
                row["broken"]?.stringValue.map { "broken: \($0)" } ?? (row["enabled"]?.boolValue ?? true ? "" : "off")
            },
        ]
        Table(of: rows, columns).show()
    }
}

/// `watchwise trigger show`
struct TriggerShow: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "One trigger, in the form that 'trigger put' takes.",
        discussion: """
            EXAMPLES
              watchwise trigger show recommendation
            """)

    @Argument(help: "The trigger's name.")
    var name: String
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue { try server.connect().ask("GET", AdminClient.address(of: "trigger", name)) }

    func show(_ answer: JSONValue) { Terminal.line(answer.pretty) }
}

/// `watchwise trigger put`
struct TriggerPut: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Add triggers, or replace those with the same names.",
        discussion: """
            A file holds one row, with a name of its own or called NAME, or a list of rows. - reads standard input. The \
            name of a ready application (\(ReadyApplication.names)) takes its rows.
            A row with a mistake is refused, and the place is shown; 'watchwise trigger test' says more.

            EXAMPLES
              watchwise trigger put release.json
              watchwise trigger put premiere release.json
              watchwise trigger put film-network
            """
    )

    @Argument(help: .value("name> <file", "FILE, or NAME and FILE."))
    var arguments: [String]
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        guard let file = arguments.last, arguments.count <= 2 else {
            throw CommandFailure(.misused, "trigger put takes FILE, or NAME and FILE")
        }
        // A path has a slash or a dot; so the settings distinguish the two, as well.
        let ready = arguments.count == 1 ? ReadyApplication(rawValue: file) : nil
        let content = try ready.map { try JSONValue(parsing: $0.triggers) } ?? JSONArgument.file(file)
        let name = arguments.count == 2 ? arguments.first : nil
        let rows = try rows(content, name: name, file: file)
        let client = try server.connect()
        var answers: [JSONValue] = []
        for (name, row) in rows {
            let request = client.request("PUT", try AdminClient.address(of: "trigger", name)).with(body: row)
            let answer = try client.ask(request.with(key: AdminClient.newKey())) { RowMistake.place($0, in: row) }
            if !server.json { Terminal.line("trigger \(name) is in force from seq \(answer["seq"]?.text ?? "?")") }
            for warning in answer["warnings"]?.arrayValue ?? [] where !server.json {
                Terminal.plainError("warning: \(warning.stringValue ?? "")")
            }
            answers.append(answer)
        }
        if server.json { Terminal.line(JSONValue.array(answers).text) }
    }

    /// The rows with their names.
    private func rows(_ content: JSONValue, name: String?, file: String) throws -> [(String, JSONValue)] {
        if let name {
            guard content.objectValue != nil else {
                throw CommandFailure(.misused, "\(file) must hold one JSON object if a name is given")
            }
            var row = content
            row["name"] = .string(name)
            return [(name, row)]
        }
        return try (content.arrayValue ?? [content]).map { row in
            guard let name = row["name"]?.stringValue else {
                throw CommandFailure(.misused, "\(file): a row without a name; write: trigger put NAME \(file)")
            }
            return (name, row)
        }
    }
}

/// `watchwise trigger delete`
struct TriggerDelete: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a trigger from the table.",
        discussion: """
            EXAMPLES
              watchwise trigger delete premiere
            """)

    @Argument(help: "The trigger's name.")
    var name: String
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue { try server.connect().ask("DELETE", AdminClient.address(of: "trigger", name)) }

    func show(_ answer: JSONValue) { Terminal.line("trigger \(name) deleted, seq \(answer["seq"]?.text ?? "?")") }
}
