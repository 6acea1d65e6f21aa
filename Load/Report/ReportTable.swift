/// A run as text tables.
extension LoadReport {
    var table: String {
        var text = Self.results(outcomes.filter { $0.skipped == nil })
        let times = Self.times(outcomes)
        if !times.isEmpty { text += "\n\n" + times }
        let remarks = outcomes.flatMap(Self.remarks)
        if !remarks.isEmpty { text += "\n\n" + remarks.joined(separator: "\n") }
        return text + """


            \(machine), \(kernel), client and server sharing it; load average \(Figures.short(loadAverage)) at the start.
            Absolute figures of one run mean little; compare ratios of runs side by side.
            """
    }

    private static func results(_ outcomes: [Outcome]) -> String {
        var table = TextTable()
        table.add(Outcome.heads)
        for outcome in outcomes { table.add(outcome.cells) }
        return table.text
    }

    private static func times(_ outcomes: [Outcome]) -> String {
        var table = TextTable()
        table.add(LatencySummary.heads)
        var isEmpty = true
        for outcome in outcomes {
            for (name, summary) in outcome.latencies where summary.count > 0 {
                isEmpty = false
                table.add(["\(outcome.name): \(name)", summary.count.grouped] + summary.cells)
            }
        }
        return isEmpty ? "" : table.text
    }

    private static func remarks(_ outcome: Outcome) -> [String] {
        if let skipped = outcome.skipped { return ["\(outcome.name): skipped, \(skipped)"] }
        var remarks = outcome.brokenPromises
        if let problem = outcome.generator?.problem { remarks.append(problem) }
        if !outcome.facts.isEmpty {
            remarks.append(outcome.facts.map { "\($0.name) \(Figures.short($0.value))" }.joined(separator: ", "))
        }
        return remarks.map { "\(outcome.name): \($0)" }
    }
}

extension Outcome {
    /// The broken promises, in a few words each.
    var brokenPromises: [String] {
        faults.filter { $0.count > 0 }.map { "\($0.count.grouped) \($0.name)" } + broken
    }

    /// The head of a table of `cells`.
    static let heads = [
        "measured", "connections", "count", "per second", "server CPU s", "per CPU s", "resident MiB", "files",
        "per session", "own share", "broken",
    ]

    /// The figures for people.
    var cells: [String] {
        let busy = generator.map { generator in
            "\(Int((generator.share * 100).rounded())) %" + (generator.problem == nil ? "" : " !")
        }
        let faultCount = faults.reduce(broken.count) { $0 + $1.count }
        var cells = [name, connections.grouped, count?.grouped ?? "–"]
        cells += [perSecond.map(Figures.whole) ?? "–", Figures.fixed(cpuSeconds, digits: 2)]
        cells += [perCPUSecond.map(Figures.whole) ?? "–", (residentBytes / 1_048_576).grouped, descriptors.grouped]
        cells += [bytesPerSession.map { "\($0.grouped) B" } ?? "–", busy ?? "–", faultCount.grouped]
        return cells
    }
}
