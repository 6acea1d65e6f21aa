/// A run as one HTML file without anything from outside: what fell short first, then the plots, then every figure.
struct HTMLReport {
    private let run: LoadReport

    init(_ run: LoadReport) { self.run = run }

    var text: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <title>watchwise-load</title><style>\(Self.style)</style></head><body><main>
        <h1>watchwise-load</h1>
        \(provenance)
        \(goals)
        \(section("Beside others, in the same run", peers))
        \(section("Cost against size", growth))
        \(section("Results", results))
        \(section("Times", times))
        \(section("Runs", courses))
        <footer>Client and server share the machine: read figures as proportions of one another.</footer>
        </main></body></html>

        """
    }

    private var measured: [Outcome] { run.outcomes.filter { $0.skipped == nil } }

    private func section(_ title: String, _ content: String) -> String {
        content.isEmpty ? "" : "<h2>\(title)</h2>\n\(content)"
    }

    private var provenance: String {
        let rows = [
            ("commit", run.commit), ("flags", run.flags), ("machine", run.machine), ("kernel", run.kernel),
            ("begun", run.began), ("load average before", Figures.short(run.loadAverage)),
        ]
        return "<dl>" + rows.map { "<div><dt>\($0)</dt><dd>\($1.escaped)</dd></div>" }.joined() + "</dl>"
    }

    /// What was promised, what fell short, and what was not measured.
    private var goals: String {
        let broken = measured.flatMap { outcome in
            outcome.faults.filter { $0.count > 0 }.map { "\(outcome.name): \($0.count.grouped) \($0.name)" }
                + outcome.broken.map { "\(outcome.name): \($0)" }
        }
        let verdict =
            broken.isEmpty
            ? "<p class=\"good\">Every promise was kept: nothing lost, doubled or reordered.</p>"
            : "<ul class=\"bad\">" + broken.map { "<li>\($0.escaped)</li>" }.joined() + "</ul>"
        let skipped = run.outcomes.compactMap { outcome in
            outcome.skipped.map { "<li>\(outcome.name.escaped): skipped, \($0.escaped)</li>" }
        }
        let goals = Goal.judge(measured)
        guard !goals.isEmpty else { return verdict + "<ul>\(skipped.joined())</ul>" }
        let rows = goals.map { goal in
            """
            <tr><td>\(goal.work.escaped)</td><td>\(goal.wanted.escaped)</td><td>\(goal.seen.escaped)</td>\
            <td class="\(goal.isReached ? "good" : "bad")">\(goal.isReached ? "reached" : "falls short")</td></tr>
            """
        }
        return """
            \(verdict)<h2>Goals</h2><div class="wide"><table class="words"><thead><tr><th>work</th><th>goal</th>\
            <th>seen</th><th></th></tr></thead><tbody>\(rows.joined())</tbody></table></div>\
            <ul>\(skipped.joined())</ul>
            """
    }

    /// What several systems were measured at, for each second of server CPU.
    private var peers: String {
        var groups: [(title: String, outcomes: [Outcome])] = []
        for outcome in measured where outcome.perCPUSecond != nil {
            let title = "\(outcome.scenario) \(outcome.detail)"
            if let place = groups.firstIndex(where: { $0.title == title }) {
                groups[place].outcomes.append(outcome)
            } else {
                groups.append((title, [outcome]))
            }
        }
        let charts = groups.filter { Set($0.outcomes.map(\.system)).count > 1 }.map { group in
            BarChart(
                title: group.title, unit: "\(group.outcomes[0].unit) for each second of server CPU",
                bars: group.outcomes.map {
                    .init(name: $0.system, value: $0.perCPUSecond ?? 0, isOwn: $0.system == "watchwise")
                }
            ).html
        }
        return charts.isEmpty ? "" : "<div class=\"plots\">\(charts.joined())</div>"
    }

    private var growth: String {
        var axes: [String] = []
        for case let growth? in measured.map(\.growth) where !axes.contains(growth.name) { axes.append(growth.name) }
        let plots = axes.map { axis in growthPlot(measured.filter { $0.growth?.name == axis }) }.filter { !$0.isEmpty }
        return plots.isEmpty ? "" : "<div class=\"plots\">\(plots.joined())</div>"
    }

    /// Empty when there is but one size.
    private func growthPlot(_ outcomes: [Outcome]) -> String {
        guard let first = outcomes.first?.growth else { return "" }
        let sizes = outcomes.compactMap { $0.growth?.size }
        guard let least = sizes.min(), let most = sizes.max(), least < most else { return "" }
        var series: [Plot.Series] = []
        for outcome in outcomes {
            guard let growth = outcome.growth else { continue }
            let name = "\(outcome.system) \(outcome.scenario)"
            let place = series.firstIndex { $0.name == name } ?? series.count
            if place == series.count { series.append(Plot.Series(name: name, points: [])) }
            series[place].points.append((x: growth.size, y: growth.cost))
        }
        for place in series.indices { series[place].points.sort { $0.x < $1.x } }
        return Plot(
            title: "Cost against \(first.axis)", xLabel: first.axis, yLabel: first.unit, series: series,
            isXLogarithmic: least > 0 && most / least > 20, isMarked: true
        ).html
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

    /// Each run over time, folded up but for the first.
    private var courses: String {
        measured.filter { !$0.timeline.points.isEmpty || !$0.latencies.isEmpty }.enumerated().map { number, outcome in
            let facts =
                outcome.facts.map { "\($0.name) \(Figures.short($0.value))" }
                + [outcome.generator?.problem].compactMap(\.self)
            return """
                <details\(number == 0 ? " open" : "")><summary>\(outcome.name.escaped)</summary>\
                \(facts.isEmpty ? "" : "<p>\(facts.joined(separator: " · ").escaped)</p>")\
                <div class="plots">\(CoursePlots(outcome).html)</div></details>
                """
        }.joined()
    }
}
