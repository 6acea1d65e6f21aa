import ArgumentParser
import Client
import Console
import JSON

/// `watchwise rules`
struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Show who may read and write which documents, or set it.",
        discussion: """
            Without a subcommand: the rules in force. Version 0 is the table of the configuration.

            EXAMPLES
              watchwise rules
              watchwise rules set rules.json
              watchwise rules set rules.json --if-version 3
            """,
        subcommands: [RulesShow.self, RulesSet.self],
        defaultSubcommand: RulesShow.self
    )
}

/// `watchwise rules show`
struct RulesShow: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "The rules in force.",
        discussion: """
            EXAMPLES
              watchwise rules
              watchwise rules show --json
            """)

    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue { try server.connect().ask("GET", "rules") }

    func show(_ answer: JSONValue) {
        let rules = answer["rules"]?.objectValue?.members ?? []
        if rules.isEmpty {
            return Terminal.plainError("There are no rules: only the server reads and writes documents.")
        }
        var table = Table(("PATTERN", .left), ("READ", .left), ("WRITE", .left))
        for (pattern, rule) in rules {
            table.add(pattern, Self.words(rule, "read"), Self.words(rule, "write"))
        }
        table.show()
        Terminal.plainError("version \(answer["version"]?.text ?? "?")")
    }

    /// Whether a rule with only this word also allows writing.
    private static func writesAlone(_ word: String) -> Bool {
        word == "owner" || word.hasPrefix("field:") || word.hasPrefix("role:")
    }

    /// The words for reading or for writing in a rule.
    private static func words(_ rule: JSONValue, _ side: String) -> String {
        if let word = rule.stringValue { return side == "read" || Self.writesAlone(word) ? word : "server" }
        let value = rule[side] ?? "server"
        return (value.arrayValue ?? [value]).compactMap(\.stringValue).joined(separator: ", ")
    }
}

/// `watchwise rules set`
struct RulesSet: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Replace the rules in force by a whole table.",
        discussion: """
            FILE holds the table, an object of patterns, like the key rules of the configuration file. \
            - reads standard input. Watches that are no longer allowed end at once.

            EXAMPLES
              watchwise rules set rules.json
            """)

    @Argument(help: "The table.")
    var file: String
    @Option(help: .value("n", "Only if the rules have this version; 0: the configured rules."))
    var ifVersion: Int64?
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue {
        if let ifVersion, ifVersion < 0 { throw CommandFailure(.misused, "--if-version must be 0 or more") }
        let table = try JSONArgument.file(file)
        let client = try server.connect()
        let request = client.request("PUT", "rules").with(body: ["rules": table]).with(ifVersion: ifVersion)
        return try client.ask(request.with(key: AdminClient.newKey()))
    }

    func show(_ answer: JSONValue) {
        Terminal.line(
            "the rules are in force from seq \(answer["seq"]?.text ?? "?"), version \(answer["version"]?.text ?? "?")")
    }
}
