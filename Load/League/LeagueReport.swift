import JSON

/// The results of a league.
struct LeagueReport: TrialReport {
    /// The results of one goal in each match.
    struct Round {
        let name: String
        /// The expected deliveries, and those that arrived.
        let owed: Int
        let received: Int
        /// From the write to the delivery to each fan.
        let times: Latencies
        let seconds: Double
        /// The server's processor time, user and system together.
        let cpuSeconds: Double
    }

    let plan: LeaguePlan
    var rounds: [Round] = []
    var faults: [LeagueLedger.Fault: Int] = [:]
    /// Counts that the server sent to fans.
    var countsTold = 0
    /// Counts that included a goal before its notification arrived.
    var countsAhead = 0
    /// The largest size of the server's memory.
    var peakBytes: Int64 = 0

    /// Whether each fan got each goal once, and each count was right.
    var isGood: Bool { faults.isEmpty && rounds.allSatisfy { $0.owed == $0.received } }

    var outcome: Outcome {
        var outcome = Outcome(
            system: "watchwise", scenario: "league",
            detail: "\(plan.fans.grouped) fans, \(plan.matches.grouped) matches")
        outcome.connections = plan.fans
        outcome.seconds = rounds.reduce(0) { $0 + $1.seconds }
        outcome.count = rounds.reduce(0) { $0 + $1.received }
        outcome.unit = "deliveries"
        outcome.cpuSeconds = rounds.reduce(0) { $0 + $1.cpuSeconds }
        outcome.residentBytes = peakBytes
        outcome.latencies = rounds.map { ($0.name, $0.times.summary) }
        outcome.faults = LeagueLedger.Fault.allCases.map { ("\($0)", faults[$0] ?? 0) }
        outcome.details = json
        return outcome
    }

    var table: String {
        var table = TextTable()
        table.add("league", "\(plan.fans.grouped) fans, \(plan.matches.grouped) matches")
        for fault in LeagueLedger.Fault.allCases { table.add("\(fault)", (faults[fault] ?? 0).grouped) }
        table.add("counts told", countsTold.grouped)
        table.add("of them before their goal", countsAhead.grouped)
        table.add("server peak MiB", (peakBytes / 1_048_576).grouped)
        var timed = TextTable()
        timed.add("round", "owed", "received", "p50 ms", "p99 ms", "max ms", "seconds", "server CPU s")
        for round in rounds {
            let cells = [50, 99, 100.0].map { percentile in
                round.times.summary.microseconds(at: percentile).map { "\(Double($0 / 10) / 100)" } ?? "–"
            }
            timed.add(
                [round.name, round.owed.grouped, round.received.grouped] + cells
                    + [Self.hundredths(round.seconds), Self.hundredths(round.cpuSeconds)])
        }
        return table.text + "\n\n" + timed.text
            + "\n\nA benchmark on \(Machine.description), client and server sharing it."
    }

    private static func hundredths(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

    private var json: JSONValue {
        let rounds = rounds.map { round -> JSONValue in
            [
                "name": .string(round.name), "owed": .integer(Int64(round.owed)),
                "received": .integer(Int64(round.received)), "serverCPUSeconds": .number(round.cpuSeconds),
                "seconds": .number(round.seconds), "times": round.times.summary.json,
            ]
        }
        return [
            "rounds": .array(rounds), "countsTold": .integer(Int64(countsTold)),
            "countsAhead": .integer(Int64(countsAhead)), "peakBytes": .integer(peakBytes), "isGood": .bool(isGood),
        ]
    }
}
