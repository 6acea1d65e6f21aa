import ArgumentParser
import Server

/// The command line. Three lines of `main`, because closures made in it would be confined to the main actor.
@main
struct Watchwise: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watchwise",
        abstract: "A self-hosted realtime notification and chat server.",
        version: ServerConfiguration.serverName,
        subcommands: [Serve.self, Token.self]
    )
}
