import ArgumentParser

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
              watchwise token alice                            make a token for a user
              watchwise listen alice                           be a device of a user
              watchwise put people/525 '{"name": "C. Nolan"}'  write a document
              watchwise broadcast --audience everyone Hello    notify everybody
              watchwise kick mallory --revoke                  shut somebody out

            All commands but serve, settings, token, demo, restore, api, sdk and cluster init call a running server: --server URL (or WATCHWISE_SERVER), by default \
            http://127.0.0.1:8080. They send --token (or WATCHWISE_TOKEN); for a server on this machine, they use the secret in \
            --data instead. Other machines are called over https. 'watchwise --version --json' names the version for programs.
            """,
        version: Version.text,
        groupedSubcommands: [
            CommandGroup(
                name: "Server",
                subcommands: [
                    Serve.self, SettingsCommand.self, ConfigCommand.self, Token.self, SecretCommand.self, Demo.self,
                    Backup.self,
                    BackupsCommand.self,
                    Restore.self,
                    ClusterCommand.self,
                ]),
            CommandGroup(
                name: "Notification",
                subcommands: [
                    BroadcastCommand.self, BroadcastsCommand.self, TriggerCommand.self, WebhooksCommand.self,
                    PushCommand.self,
                    DeadCommand.self,
                ]),
            CommandGroup(
                name: "Document",
                subcommands: [
                    GetCommand.self, ListCommand.self, PutCommand.self, PatchCommand.self, DeleteCommand.self,
                    RulesCommand.self, FeedsCommand.self,
                ]),
            CommandGroup(
                name: "Access",
                subcommands: [
                    Revoke.self, Revocations.self, Unrevoke.self, Kick.self, UserCommand.self, RoomsCommand.self,
                    ReportsCommand.self,
                ]),
            CommandGroup(
                name: "Inspection",
                subcommands: [
                    Listen.self, Explain.self, AuditCommand.self, Ready.self, Stats.self, APICommand.self,
                    SDKCommand.self,
                ]),
        ]
    )

    // Only three lines: closures made here would be confined to the main actor, and would trap on other threads.
    static func main() {
        Program.run(Array(CommandLine.arguments.dropFirst()))
    }
}
