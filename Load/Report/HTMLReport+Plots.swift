/// The plots: bars for systems, costs by size, runs over time.
extension HTMLReport {
    /// The results of all systems, per second of server CPU.
    var peers: String {
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
                title: group.title,
                // SQLite alone mostly waits for the disk: here the figure per second is the fair one.
                unit: group.outcomes[0].unit
                    + (Self.isOfDisk(group.outcomes) ? " each second" : " for each second of server CPU"),
                bars: group.outcomes.map { Self.bar($0, isOfDisk: Self.isOfDisk(group.outcomes)) }
                    .sorted { $0.value > $1.value }
            ).html
        }
        return charts.isEmpty ? "" : "<div class=\"plots\">\(charts.joined())</div>"
    }

    private static func isOfDisk(_ outcomes: [Outcome]) -> Bool { outcomes.allSatisfy { $0.scenario == "writes" } }

    private static func bar(_ outcome: Outcome, isOfDisk: Bool) -> BarChart.Bar {
        let rounds = outcome.rounds.compactMap { isOfDisk ? $0.perSecond : $0.perCPUSecond }
        return BarChart.Bar(
            name: outcome.system, value: (isOfDisk ? outcome.perSecond : outcome.perCPUSecond) ?? 0,
            spread: Round.spread(rounds), isOwn: outcome.system == "watchwise")
    }

    var growth: String {
        var axes: [String] = []
        for growth in measured.flatMap(\.growth) where !axes.contains(growth.name) { axes.append(growth.name) }
        let plots = axes.map { axis in
            growthPlot(measured.flatMap(\.growth).filter { $0.name == axis })
        }.filter { !$0.isEmpty }
        return plots.isEmpty ? "" : "<div class=\"plots\">\(plots.joined())</div>"
    }

    /// Empty when there is only one size.
    private func growthPlot(_ points: [Outcome.Growth]) -> String {
        let sizes = points.map(\.size)
        guard let first = points.first, let least = sizes.min(), let most = sizes.max(), least < most else { return "" }
        var series: [Plot.Series] = []
        for point in points {
            let place = series.firstIndex { $0.name == point.series } ?? series.count
            if place == series.count { series.append(Plot.Series(name: point.series, points: [])) }
            series[place].points.append((x: point.size, y: point.cost))
        }
        for place in series.indices { series[place].points.sort { $0.x < $1.x } }
        // A size of 0 has no place on a logarithmic axis: it is drawn where 1 would be.
        let isLogarithmic = most / max(1, least) > 20
        if isLogarithmic {
            for place in series.indices {
                series[place].points = series[place].points.map { (x: max(1, $0.x), y: $0.y) }
            }
        }
        let costs = points.map(\.cost).filter { $0 > 0 }
        let isWide = (costs.max() ?? 1) / max(.leastNormalMagnitude, costs.min() ?? 1) > 50
        return Plot(
            title: "Cost against \(first.axis)", xLabel: first.axis, yLabel: first.unit, series: series,
            isXLogarithmic: isLogarithmic, isYLogarithmic: isWide, isMarked: true,
            remarks: verdicts(series, wanted: first.axis == StoredScenario.backlogAxis ? .linear : .flat)
        ).html
    }

    private func verdicts(_ series: [Plot.Series], wanted: GrowthVerdict.Shape) -> [Plot.Remark] {
        // A series of two points is left out if there are longer ones.
        let judged = series.count { $0.points.count > 2 } > 0 ? series.filter { $0.points.count > 2 } : series
        return judged.compactMap { one in
            guard let verdict = GrowthVerdict(one.points.map { ($0.x, $0.y) }) else { return nil }
            var good: Set<GrowthVerdict.Shape> = [.flat, .falling]
            if wanted == .linear { good.formUnion([.rising, .linear]) }
            return Plot.Remark(
                text: (series.count > 1 ? one.name + " " : "") + verdict.sentence, isGood: good.contains(verdict.shape))
        }
    }

    /// Each run over time; all but the first are folded.
    var courses: String {
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
