/// The summary of the run, to be read in a minute, and each goal.
extension HTMLReport {
    var summary: String {
        let goals = Goal.judge(measured)
        let reached = goals.filter(\.isReached)
        var parts = [verdict]
        if let unfinished = run.unfinished {
            parts.append("<p class=\"bad\">This run is not whole: \(unfinished.escaped)</p>")
        }
        if let share = measured.compactMap({ $0.generator?.othersShare }).max(), share > Generator.othersShareMax {
            parts.append(
                "<p class=\"bad\">Others had up to \(Int(share * 100)) % of the machine meanwhile: times and figures per "
                    + "second say little here, ratios of turns and figures per second of server CPU hold better.</p>")
        }
        if !goals.isEmpty {
            parts.append("<p class=\"lead\"><b>\(reached.count) of \(goals.count)</b> goals reached.</p>")
            let best = Self.ofEachKind(reached.sorted { $0.share > $1.share })
            let behind = Self.ofEachKind(goals.filter { !$0.isReached }.sorted { $0.share < $1.share })
            let lists = list("What is best", best) + list("What is behind", behind)
            parts.append("<div class=\"two\">\(lists)</div>")
        }
        return parts.joined()
    }

    private static let listedMax = 5

    /// The first goal of each kind of work; the others follow below.
    private static func ofEachKind(_ goals: [Goal]) -> [Goal] {
        var kinds: Set<Substring> = []
        return Array(goals.filter { kinds.insert($0.key.prefix { $0 != "-" }).inserted }.prefix(listedMax))
    }

    private func list(_ title: String, _ goals: [Goal]) -> String {
        guard !goals.isEmpty else { return "" }
        let items = goals.map { goal in
            let times = goal.share >= 1 ? "" : "<br><small>\((reason(goal) ?? "no reason given yet").escaped)</small>"
            return "<li><b>\(goal.work.escaped)</b>: \(goal.seen.escaped) (wanted: \(goal.wanted.escaped))\(times)</li>"
        }
        return "<div><h3>\(title)</h3><ul>\(items.joined())</ul></div>"
    }

    private func reason(_ goal: Goal) -> String? { run.reasons[goal.key] }

    /// The promises, and whether they were kept.
    private var verdict: String {
        let broken = measured.flatMap { outcome in
            outcome.faults.filter { $0.count > 0 }.map { "\(outcome.name): \($0.count.grouped) \($0.name)" }
                + outcome.broken.map { "\(outcome.name): \($0)" }
        }
        return broken.isEmpty
            ? "<p class=\"good\">Every promise was kept: nothing lost, doubled or reordered.</p>"
            : "<ul class=\"bad\">" + broken.map { "<li>\($0.escaped)</li>" }.joined() + "</ul>"
    }

    var goals: String {
        let goals = Goal.judge(measured)
        let rows = goals.map { goal in
            let remarks =
                (goal.anchors.isEmpty ? "" : "<p><small>Elsewhere: \(goal.anchors.escaped)</small></p>")
                + (goal.isReached ? "" : "<p class=\"why\">Why: \((reason(goal) ?? "(\(goal.key))").escaped)</p>")
            return """
                <tr><td>\(goal.work.escaped)\(remarks)</td><td data-head="goal">\(goal.wanted.escaped)</td>\
                <td data-head="seen">\(goal.seen.escaped)</td>\
                <td class="\(goal.isReached ? "good" : "bad")">\(goal.isReached ? "reached" : "falls short")</td></tr>
                """
        }
        let skipped = run.outcomes.compactMap { outcome in
            outcome.skipped.map { "<li>\(outcome.name.escaped): skipped, \($0.escaped)</li>" }
        }
        let table =
            goals.isEmpty
            ? ""
            : """
            <table class="words"><thead><tr><th>work</th><th>goal</th><th>seen</th><th></th></tr></thead>\
            <tbody>\(rows.joined())</tbody></table>
            """
        return table + (skipped.isEmpty ? "" : "<ul>\(skipped.joined())</ul>")
    }
}
