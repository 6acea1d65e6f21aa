import ArgumentParser

/// A comparison of two runs.
struct Comparison {
    /// A figure that both runs measured.
    struct Row: Equatable {
        var name: String
        var figure: String
        var before: Double
        var after: Double
        /// Whether all rounds of one run are below all rounds of the other; nil without rounds.
        var isApart: Bool?

        /// The second figure divided by the first; nil when the first is 0.
        var ratio: Double? { before > 0 ? after / before : nil }
    }

    let rows: [Row]
    /// Figures that only one run has.
    let missing: [String]

    init(_ before: LoadReport, _ after: LoadReport) {
        var rows: [Row] = []
        var missing: [String] = []
        for old in before.outcomes where old.skipped == nil {
            guard let new = after.outcomes.first(where: { $0.name == old.name && $0.skipped == nil }) else {
                missing.append("\(old.name): only in the first")
                continue
            }
            rows += Self.rows(old, new)
        }
        for new in after.outcomes where new.skipped == nil {
            if !before.outcomes.contains(where: { $0.name == new.name && $0.skipped == nil }) {
                missing.append("\(new.name): only in the second")
            }
        }
        self.rows = rows
        self.missing = missing
    }

    private static func rows(_ old: Outcome, _ new: Outcome) -> [Row] {
        var figures: [(String, Double?, Double?)] = [
            ("\(old.unit) per CPU s", old.perCPUSecond, new.perCPUSecond),
            ("\(old.unit) per second", old.perSecond, new.perSecond),
            ("bytes per session", old.bytesPerSession.map(Double.init), new.bytesPerSession.map(Double.init)),
            ("resident MiB", Double(old.residentBytes) / 1_048_576, Double(new.residentBytes) / 1_048_576),
        ]
        for (name, summary) in old.latencies {
            for (label, percentile) in [("p50", 50.0), ("p99", 99)] {
                figures.append(
                    (
                        "\(name) \(label) ms", summary.microseconds(at: percentile).map { Double($0) / 1000 },
                        new.latency(name)?.microseconds(at: percentile).map { Double($0) / 1000 }
                    ))
            }
        }
        return figures.compactMap { figure, before, after in
            guard let before, let after else { return nil }
            return Row(
                name: old.name, figure: figure, before: before, after: after,
                isApart: figure.hasSuffix("per CPU s") ? isApart(old, new) : nil)
        }
    }

    private static func isApart(_ old: Outcome, _ new: Outcome) -> Bool? {
        guard let old = Round.spread(old.rounds.compactMap(\.perCPUSecond)),
            let new = Round.spread(new.rounds.compactMap(\.perCPUSecond))
        else { return nil }
        return old.most < new.least || new.most < old.least
    }

    var table: String {
        var table = TextTable()
        table.add("", "figure", "first", "second", "second / first", "rounds")
        var last = ""
        for row in rows {
            table.add(
                row.name == last ? "" : row.name, row.figure, Figures.short(row.before), Figures.short(row.after),
                row.ratio.map { Figures.fixed($0, digits: 2) } ?? "–",
                row.isApart.map { $0 ? "apart" : "overlap" } ?? "")
            last = row.name
        }
        return table.text + (missing.isEmpty ? "" : "\n\n" + missing.joined(separator: "\n"))
    }
}

/// `watchwise-load compare`.
struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Show two runs side by side, from their JSON files, with ratios.",
        discussion: """
            Where both have several rounds, "apart" says that every round of one was above every round of the other, and
            "overlap" that the difference may be the machine's.

            EXAMPLE
              watchwise-load compare before.json after.json
            """)

    @Argument(help: ArgumentHelp("The first run.", valueName: "A.json"))
    var before: String

    @Argument(help: ArgumentHelp("The second run.", valueName: "B.json"))
    var after: String

    func run() throws {
        do {
            let (first, second) = (try LoadReport(path: before), try LoadReport(path: after))
            for (name, run) in [("first", first), ("second", second)] {
                print("\(name): \(run.commit) · \(run.began) · \(run.machine), \(run.kernel) · \(run.flags)")
            }
            print("")
            print(Comparison(first, second).table)
            print("\nNeighbours on a shared machine move figures per second; those per CPU second hold better.")
        } catch {
            Terminal.note("error: \(error.description)")
            throw ExitCode(1)
        }
    }
}
