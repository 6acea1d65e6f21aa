import JSON

/// The figures of a cluster, each beside its goal.
struct ClusterReport {
    /// One goal and what was seen.
    struct Row {
        let name: String
        let seen: Double?
        let goal: Double
        let unit: String
        /// Whether more is better.
        var isAtLeast = false

        var isReached: Bool? { seen.map { isAtLeast ? $0 >= goal : $0 <= goal } }
    }

    let rate: Double
    /// Milliseconds of one commit of SQLite alone, in each round.
    var commitsAlone: [Double] = []
    var bare: [Outcome] = []
    var onLeader: Outcome?
    var onOther: Outcome?
    var limit: Outcome?
    var single: Outcome?
    var kills: Latencies?
    /// All clients of the leading node came to another one at once; and the same on the single node.
    var storm: StormReport?
    var stormAlone: StormReport?

    /// Further milliseconds that the design allows over a bare publication and one fsync.
    private static let (own, others) = (0.7, 0.5)
    /// Further milliseconds for a resume on another node, over one on the same node.
    private static let elsewhere = 500.0

    /// The shortest: others on the disk make it longer, and a goal must not grow by that.
    private var fsync: Double? { commitsAlone.min() }

    private static func milliseconds(_ outcome: Outcome?, _ name: String, _ percentile: Double) -> Double? {
        outcome?.latency(name)?.microseconds(at: percentile).map { Double($0) / 1000 }
    }

    /// The middle of the bare rounds, which take turns with the others.
    private var bareMedian: Double? {
        let rounds = bare.compactMap { Self.milliseconds($0, BareJournal.time, 50) }.sorted()
        return rounds.isEmpty ? nil : rounds[rounds.count / 2]
    }

    /// The processor time of a node that follows, over that of the leading one, for the same commands.
    private var followerShare: Double? {
        guard let facts = onLeader?.facts.filter({ $0.name.hasPrefix("CPU seconds of ") }),
            let leading = facts.first(where: { $0.name.hasSuffix("the leading node") })?.value, leading > 0
        else { return nil }
        let others = facts.filter { $0.name.contains(" node ") && !$0.name.hasSuffix("the leading node") }.map(\.value)
        // The receivers' node also serves their sessions; the other one only repeats what was done.
        return others.min().map { $0 / leading }
    }

    var rows: [Row] {
        let base = bareMedian.map { $0 + (fsync ?? 0) + Self.own }
        let ok = CrossPairs.times[0]
        var rows = [
            Row(
                name: "send → ok, leader's sessions, p50", seen: Self.milliseconds(onLeader, ok, 50), goal: base ?? 0,
                unit: "ms"),
            Row(
                name: "send → ok, other's sessions, p50", seen: Self.milliseconds(onOther, ok, 50),
                goal: (base ?? 0) + Self.others, unit: "ms"),
            Row(
                name: "ok → event on another node, p99", seen: Self.milliseconds(onLeader, CrossPairs.times[2], 99),
                goal: 5, unit: "ms"),
            Row(name: "follower's CPU over leader's, for a command", seen: followerShare, goal: 0.6, unit: "×"),
        ]
        if let limit, let single, let mine = limit.perCPUSecond, let alone = single.perCPUSecond, alone > 0 {
            rows.append(
                Row(
                    name: "chats at the limit over a single node's, per CPU second of the leader", seen: mine / alone,
                    goal: 0.8, unit: "×", isAtLeast: true))
        }
        if let kills, kills.count > 0 {
            let most = kills.summary.microseconds(at: 100).map { Double($0) / 1000 }
            rows.append(
                Row(name: "leading node killed → next ok, most of \(kills.count)", seen: most, goal: 3000, unit: "ms"))
        }
        if let storm, let last = Self.milliseconds(storm.books.last) {
            let alone = Self.milliseconds(stormAlone?.books.last)
            rows.append(
                Row(
                    name: "\(storm.plan.clients.grouped) clients resume on another node, the last one", seen: last,
                    goal: (alone ?? 0) + Self.elsewhere, unit: "ms"))
        }
        return rows
    }

    private static func milliseconds(_ duration: Duration?) -> Double? { duration.map { $0 / .milliseconds(1) } }

    /// The table for people.
    var table: String {
        var goals = TextTable()
        goals.add("figure", "seen", "goal", "")
        for row in rows {
            let bound = (row.isAtLeast ? "≥ " : "≤ ") + Figures.short(row.goal) + " " + row.unit
            let seen = row.seen.map { Figures.short($0) + " " + row.unit } ?? "–"
            goals.add(row.name, seen, bound, row.isReached.map { $0 ? "reached" : "missed" } ?? "not measured")
        }
        var times = TextTable()
        times.add("milliseconds, at \(Figures.whole(rate)) a second", "p50", "p99", "p99.9", "max")
        for (number, outcome) in bare.enumerated() {
            if let summary = outcome.latency(BareJournal.time) {
                times.add(["bare client, arrival → acknowledged, round \(number + 1)"] + summary.cells)
            }
        }
        for outcome in [onLeader, onOther].compactMap(\.self) {
            for (name, summary) in outcome.latencies { times.add(["\(outcome.detail): \(name)"] + summary.cells) }
        }
        if let kills, kills.count > 0 { times.add([LeaderKills.time] + kills.cells) }
        for (name, storm) in [("on another node", storm), ("on the single node", stormAlone)] {
            if let storm { times.add(["killed → live again \(name)"] + storm.books.times.cells) }
        }
        var text = goals.text + "\n\n" + times.text
        for (name, storm) in [("another node", storm), ("the single node", stormAlone)] {
            if let storm { text += "\n\nresumed on \(name):\n" + storm.rowsText }
        }
        if let fsync { text += "\n\none commit of SQLite alone: \(Figures.short(fsync)) ms" }
        for outcome in [onLeader, onOther, limit, single].compactMap(\.self) {
            if let problem = outcome.generator?.problem { text += "\n\(outcome.detail): \(problem)" }
        }
        return text + "\n\nA benchmark on \(Machine.description): servers, nodes and this program share it."
    }

    /// The results in the form of other scenarios; the goals are facts of the first one.
    var outcomes: [Outcome] {
        var goals = Outcome(system: "watchwise", scenario: "cluster", detail: "goals")
        for row in rows {
            if let seen = row.seen { goals.facts.append(("\(row.name), \(row.unit)", seen)) }
            goals.facts.append(("goal: \(row.name), \(row.unit)", row.goal))
        }
        if let kills, kills.count > 0 { goals.latencies = [(LeaderKills.time, kills.summary)] }
        let storms = [("another node", storm), ("the single node", stormAlone)].compactMap { name, storm in
            var outcome = storm?.outcome
            outcome?.detail += ", on \(name)"
            return outcome
        }
        return [goals] + storms + bare + [onLeader, onOther, limit].compactMap(\.self)
            + [single].compactMap { outcome in
                var outcome = outcome
                outcome?.detail += ", a single node"
                return outcome
            }
    }
}
