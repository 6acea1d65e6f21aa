/// A run as one HTML file without external parts: the summary, the goals, the plots, every figure.
struct HTMLReport {
    let run: LoadReport

    init(_ run: LoadReport) { self.run = run }

    var text: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <title>WatchWise, measured</title><style>\(Self.style)</style></head><body><main>
        <h1>WatchWise, measured beside the best</h1>
        \(summary)
        \(section("Goals", goals))
        \(section("Beside others, in turns", peers))
        \(section("Cost against size", growth))
        \(section("How it was measured", provenance + method))
        \(folded("Results", results))
        \(folded("Times", times))
        \(section("Runs", courses))
        <footer>Client and server share the machine: read figures as proportions of one another.</footer>
        </main></body></html>

        """
    }

    var measured: [Outcome] { run.outcomes.filter { $0.skipped == nil } }

    private func section(_ title: String, _ content: String) -> String {
        content.isEmpty ? "" : "<section><h2>\(title)</h2>\n\(content)</section>"
    }

    /// A folded part, for readers who want every figure.
    private func folded(_ title: String, _ content: String) -> String {
        content.isEmpty ? "" : "<details><summary>\(title), every figure</summary>\n\(content)</details>"
    }

    private var provenance: String {
        let rows = [
            ("commit", run.commit), ("flags", run.flags), ("machine", run.machine), ("kernel", run.kernel),
            ("begun", run.began), ("load average before", Figures.short(run.loadAverage)),
        ]
        return "<dl>" + rows.map { "<div><dt>\($0)</dt><dd>\($1.escaped)</dd></div>" }.joined() + "</dl>"
    }

    private var method: String {
        let limited = measured.filter { $0.generator?.isLimit == true }.count
        let others = measured.compactMap { $0.generator?.othersShare }
        let busy = others.max().map { "Others had at most \(Int($0 * 100)) % of the machine in any run. " } ?? ""
        return """
            <p>Each system that is held against others has its own server, and they take turns; a figure is that of the round \
            in the middle, a ratio that of the rounds beside each other, with the least and the most in parentheses. Figures \
            are for each second of the server's own processor time (user and system, from /proc), which holds when others \
            use the machine. In \(limited) of \(measured.count) results the generator was the limit: there the server's figure \
            per second may be higher, that per processor second stands. \(busy)The bare loop (floor) is epoll with one read \
            and one write for each message and no work at all; in batches it writes once a turn.</p>
            """
    }

    private var results: String {
        Self.table(Outcome.heads, measured.map { Self.row($0.cells) })
    }

    private var times: String {
        var rows: [String] = []
        for outcome in measured {
            for (name, summary) in outcome.latencies where summary.count > 0 {
                rows.append(Self.row(["\(outcome.name): \(name)", summary.count.grouped] + summary.cells))
            }
        }
        return rows.isEmpty ? "" : Self.table(LatencySummary.heads, rows)
    }

    private static func row(_ cells: [String]) -> String {
        "<tr>" + cells.map { "<td>\($0.escaped)</td>" }.joined() + "</tr>"
    }

    private static func table(_ heads: [String], _ rows: [String]) -> String {
        "<div class=\"wide\"><table><thead><tr>" + heads.map { "<th>\($0)</th>" }.joined() + "</tr></thead><tbody>"
            + rows.joined() + "</tbody></table></div>"
    }
}
