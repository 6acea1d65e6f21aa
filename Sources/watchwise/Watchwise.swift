import ArgumentParser
import Server

/// The command line.
@main
struct Watchwise: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watchwise",
        abstract: "A self-hosted realtime notification and chat server.",
        discussion: """
            EXAMPLES
              watchwise demo                                   see it work
              watchwise serve --data /var/lib/watchwise        run the server
              watchwise token alice                            let somebody in
              watchwise put people/525 '{"name": "C. Nolan"}'  write a document
              watchwise broadcast --audience everyone Hello    tell everybody
              watchwise kick mallory --revoke                  put somebody out

            All but serve, token, demo and restore ask a running server: --server URL (or WATCHWISE_SERVER), by default \
            http://127.0.0.1:8080. They show --token (or WATCHWISE_TOKEN); to a server on this machine the secret in \
            --data does instead. Other machines are asked by https.
            """,
        version: Version.text,
        groupedSubcommands: [
            CommandGroup(name: "Server", subcommands: [Serve.self, Token.self, Demo.self, Backup.self, Restore.self]),
            CommandGroup(
                name: "Notification",
                subcommands: [BroadcastCommand.self, TriggerCommand.self, WebhooksCommand.self, DeadCommand.self]),
            CommandGroup(
                name: "Document",
                subcommands: [
                    GetCommand.self, ListCommand.self, PutCommand.self, PatchCommand.self, DeleteCommand.self,
                    RulesCommand.self, FeedsCommand.self,
                ]),
            CommandGroup(
                name: "Access", subcommands: [Revoke.self, Revocations.self, Unrevoke.self, Kick.self]),
            CommandGroup(name: "Inspection", subcommands: [Explain.self, Stats.self]),
        ]
    )

    // Three lines: closures made here would be confined to the main actor, and die on other threads.
    static func main() {
        Program.run(Array(CommandLine.arguments.dropFirst()))
    }
}
