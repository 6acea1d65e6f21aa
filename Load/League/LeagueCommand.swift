import ArgumentParser

/// `watchwise-load league`.
struct LeagueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "league",
        abstract: "Goals in many matches for fans of two teams and a match each, each of whom hears of a goal once.",
        discussion: """
            Starts a server of its own in a temporary folder. Each fan follows two teams and a match, some of them both
            teams of one match, or a team and its match, and is a session of its own. A goal falls in each match: all in
            one batch, then one by one, and then those of the batch are corrected. Each fan must hear of each goal of
            the matches that he follows in any way, once; what corrects a goal replaces it and rings nobody. Every count
            that is told is held against what has come, and after each round every fan asks for the list and its count.

            EXAMPLES
              watchwise-load league --binary .build/release/watchwise
              watchwise-load league --binary .build/release/watchwise --fans 300 --matches 20 --seconds 3
            """
    )

    @Option(help: ArgumentHelp("Fans.", valueName: "N"))
    var fans = 5_000

    @Option(help: ArgumentHelp("Matches, with a goal each in each round.", valueName: "N"))
    var matches = 200

    @Option(help: ArgumentHelp("In which the goals fall one by one.", valueName: "S"))
    var seconds = 40.0

    @OptionGroup var trial: TrialOptions

    func validate() throws {
        guard (1...100_000).contains(fans) else { throw ValidationError("--fans: 1 to 100000") }
        guard (3...500).contains(matches) else { throw ValidationError("--matches: 3 to 500, what one batch takes") }
        guard seconds >= 0, seconds <= 3_600 else { throw ValidationError("--seconds: 0 to 3600") }
    }

    func run() throws {
        // All fans connect from one address.
        let serve = ["--connections-per-address", String(TrialOptions.descriptors(clients: fans))]
        try trial.play("league", clients: fans, serve: serve) { server, address, mint in
            let plan = LeaguePlan(fans: fans, matches: matches, loops: trial.loops, server: address, mint: mint)
            return try LeagueRun(plan, pid: server.pid, seconds: seconds).play()
        }
    }
}
