import ArgumentParser

/// The bots and benchmarks: `watchwise-load SCENARIO`.
struct WatchwiseLoad: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watchwise-load",
        abstract: "Bots that talk to a WatchWise server, check what it promises, and measure it.",
        discussion: """
            EXAMPLES
              watchwise serve --data /tmp/w &
              watchwise-load replay dialogues.jsonl --data /tmp/w
              watchwise-load bench --scenario pairs --seconds 10 --data /tmp/w

            Exit status: 0 when every promise was kept, 1 when one was broken or the server could not be reached,
            2 for bad usage.
            """,
        subcommands: [ReplayCommand.self, BenchCommand.self, StormCommand.self]
    )

    /// Reads the command line and does what it says; ends the process.
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
