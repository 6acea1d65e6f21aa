import ArgumentParser

/// `watchwise-load storm`.
struct StormCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storm",
        abstract: "Let thousands of clients come back at once, and check that none has lost anything.",
        discussion: """
            Starts a server of its own in a temporary folder and connects the clients. Half of them go; then every
            client is written to and everyone is notified. Under that load the server is killed (--mode kill) or
            stopped (--mode drain) and started again, or runs on (--mode reconnect), and all who have no connection
            come at once and resume. Each must get every message and notice once, in order.

            The time is that from the moment the server listens again (in --mode reconnect: from the first connect) to
            each client's 'live'. Pings of the clients that stay, and messages, are timed before and during the storm.

            EXAMPLES
              watchwise-load storm --binary .build/release/watchwise
              watchwise-load storm --binary .build/release/watchwise --mode reconnect --clients 5000 --json storm.json
            """
    )

    @Option(help: ArgumentHelp("kill, drain or reconnect.", valueName: "MODE"))
    var mode = StormMode.kill

    @Option(help: ArgumentHelp("Clients.", valueName: "N"))
    var clients = 10_000

    @Option(help: ArgumentHelp("Messages to each client while half of them are away.", valueName: "N"))
    var rounds = 4

    @Option(help: ArgumentHelp("Seconds from the storm's begin after which it is a failure.", valueName: "S"))
    var patience = 60

    @Option(
        name: .customLong("serve"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("An argument for 'serve', such as --serve=--loops=1; repeated.", valueName: "ARGUMENT")
    )
    var serveArguments: [String] = []

    @OptionGroup var trial: TrialOptions

    func validate() throws {
        guard (16...100_000).contains(clients) else { throw ValidationError("--clients: 16 to 100000") }
        guard (1...1_000).contains(rounds) else { throw ValidationError("--rounds: 1 to 1000") }
        guard (1...3_600).contains(patience) else { throw ValidationError("--patience: 1 to 3600") }
    }

    func run() throws {
        try trial.play("storm", clients: clients, serve: serveArguments) { server, address, mint in
            let plan = StormPlan(
                mode: mode, clients: clients, loops: trial.loops, rounds: rounds, server: address, mint: mint)
            return try StormRun(plan, server: server, patience: .seconds(patience)).play()
        }
    }
}
