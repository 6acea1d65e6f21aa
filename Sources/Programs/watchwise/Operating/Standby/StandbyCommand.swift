import ArgumentParser
import Console
import JSON

/// `watchwise standby`
struct StandbyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "standby",
        abstract: "Look after a standby: a second server that has all commits of the first, and can take its place.",
        discussion: """
            The first server, the primary, runs with --keep-commits; the standby with --standby-of URL, an empty folder, \
            and the primary's files secret and webhook-secret.

            EXAMPLES
              watchwise standby status --server http://10.0.0.2:8080
              watchwise standby promote --server http://10.0.0.2:8080
            """,
        subcommands: [StandbyStatus.self, StandbyPromote.self],
        defaultSubcommand: StandbyStatus.self
    )
}

/// `watchwise standby status`
struct StandbyStatus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the role of a server, and how much a standby lacks.",
        discussion: """
            EXAMPLES
              watchwise standby status --server http://10.0.0.2:8080
              watchwise standby status --json
            """)

    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let answer = try server.connect().ask("GET", "standby")
        if server.json { return Terminal.line(answer.text) }
        let names = [
            "role", "primary", "epoch", "applied", "last", "lagEntries", "lagMilliseconds", "silentMilliseconds",
            "problem",
            "standby", "promotion",
        ]
        for name in names {
            if let value = answer[name] { Terminal.line("\(name): \(value.stringValue ?? value.text)") }
        }
    }
}
