import ArgumentParser

/// The bots and benchmarks: `watchwise-load SCENARIO`.
struct WatchwiseLoad: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watchwise-load",
        abstract: "Bots that talk to a WatchWise server, check what it promises, and measure it.",
        discussion: """
            A scenario runs against a server on the same machine, whose processor time, memory and files are read from
            /proc: results are given for each second of the server's own processor time, which holds on a shared machine.
            In every scenario each message has a number, and none may be lost, doubled or reordered.

            EXAMPLES
              watchwise serve --debug-echo --data /tmp/w &
              watchwise-load fanout --connections 10000 --window 64 --data /tmp/w --report fanout.html
              watchwise-load pairs --rate 2000 --seconds 30 --data /tmp/w --json pairs.json
              watchwise-load suite --binary .build/release/watchwise --quick --report report.html
              watchwise-load compare before.json after.json

            Exit status: 0 when every promise was kept, 1 when one was broken or the server could not be reached,
            2 for bad usage.
            """,
        subcommands: [
            EchoCommand.self, PairsCommand.self, FanoutCommand.self, BroadcastCommand.self, ReleaseCommand.self,
            IdleCommand.self, WritesCommand.self, SoakCommand.self, ReplayCommand.self, StormCommand.self,
            LeagueCommand.self, ClusterCommand.self, SuiteCommand.self, RenderCommand.self, CompareCommand.self,
        ]
    )

    /// Runs the command line; ends the process.
    static func start() -> Never {
        do {
            var command = try parseAsRoot()
            try command.run()
            exit()
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            Terminal.note(fullMessage(for: error))
            exit(withError: ExitCode(2))
        }
    }
}
