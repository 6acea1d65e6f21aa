/// A goal, and how far this run reaches it: the ratio of two figures of the same run, or a count.
struct Goal: Equatable {
    /// The key under which the reason for a shortfall is stored.
    let key: String
    let work: String
    let wanted: String
    let seen: String
    /// 1 when the goal is reached, 2 when the result is twice as good.
    let share: Double
    let isReached: Bool
    /// The results of other servers elsewhere.
    var anchors = ""

    init(key: String, work: String, wanted: String, seen: String, share: Double, isReached: Bool? = nil) {
        self.key = key
        self.work = work
        self.wanted = wanted
        self.seen = seen
        self.share = share
        self.isReached = isReached ?? (share >= 1)
    }

    /// The name of the bare loop in the results.
    static let floor = "floor"
    static let floorInBatches = "floor, in batches"

    /// Compares the outcomes with the goals; goals without a measurement are left out.
    static func judge(_ outcomes: [Outcome]) -> [Goal] {
        let own = outcomes.filter { $0.system == "watchwise" }
        return besideOthers(own, outcomes) + own.compactMap(chats) + againstTheDisk(own, outcomes)
            + own.compactMap(paced) + own.compactMap { overCommit($0, outcomes) } + memory(own)
            + own.compactMap(release) + own.compactMap(storm) + triggers(own) + own.compactMap(start)
            + own.compactMap(replay)
    }

    // MARK: Ratios within the run

    /// The ratio of two systems that took turns: of the middle round, with the spread over the rounds. Without rounds,
    /// the ratio of the two figures.
    private static func ratio(
        _ key: String, _ work: String, _ own: Outcome, over other: Outcome?, atLeast least: Double,
        _ figure: (Outcome) -> Double?, _ ofRound: (Round) -> Double?
    ) -> Goal? {
        guard let other, let mine = figure(own), let theirs = figure(other), theirs > 0 else { return nil }
        var seen = mine / theirs
        var text = Figures.fixed(seen, digits: 2)
        let pairs = zip(own.rounds, other.rounds).compactMap { mine, theirs -> Double? in
            guard let mine = ofRound(mine), let theirs = ofRound(theirs), theirs > 0 else { return nil }
            return mine / theirs
        }
        if let spread = Round.spread(pairs), let middle = Round.median(pairs) {
            seen = middle
            text = Figures.fixed(seen, digits: 2)
            text += " (\(Figures.fixed(spread.least, digits: 2)) to \(Figures.fixed(spread.most, digits: 2)))"
        }
        return Goal(
            key: key, work: work, wanted: "at least \(Figures.fixed(least, digits: 2)) of \(other.system)", seen: text,
            share: seen / least)
    }

    private static func besideOthers(_ own: [Outcome], _ outcomes: [Outcome]) -> [Goal] {
        own.filter { ["echo", "fanout"].contains($0.scenario) }.flatMap { own in
            let beside = outcomes.filter { $0.scenario == own.scenario && $0.detail == own.detail }
            let others = beside.filter { ![own.system, floor, floorInBatches].contains($0.system) }
            let best = others.max { ($0.perCPUSecond ?? 0) < ($1.perCPUSecond ?? 0) }
            let bare = beside.first { $0.system == floor }
            let work = "\(own.scenario) \(own.detail), per server CPU second"
            let key = key(own)
            var goals = [
                ratio(key + "-peer", work, own, over: best, atLeast: 1, \.perCPUSecond, \.perCPUSecond)
            ]
            // Echoes are only compared with servers, and batches only with systems that batch.
            if own.scenario == "fanout", !own.detail.hasSuffix("64 under way") {
                goals.append(
                    ratio(key + "-floor", work, own, over: bare, atLeast: 0.95, \.perCPUSecond, \.perCPUSecond))
            }
            let anchors = Anchors.text(own, bare: bare?.perCPUSecond)
            // The results of others are shown only once.
            return goals.enumerated().compactMap { $1?.with($0 == 0 ? anchors : "") }
        }
    }

    /// A key like `fanout-1-10000-1`, from the words and numbers of the scenario.
    static func key(_ outcome: Outcome) -> String {
        let words = "\(outcome.scenario) \(outcome.detail)".replacing(",", with: "").split {
            !$0.isLetter && !$0.isNumber
        }
        let left: Set<Substring> = [
            "in", "each", "commit", "under", "way", "that", "do", "not", "match", "stored", "B",
        ]
        return words.filter { !left.contains($0) }.joined(separator: "-").lowercased()
    }

    private func with(_ anchors: String) -> Goal {
        var goal = self
        goal.anchors = anchors
        return goal
    }

    private static func againstTheDisk(_ own: [Outcome], _ outcomes: [Outcome]) -> [Goal] {
        own.filter { $0.scenario == "writes" }.compactMap { own in
            let raw = outcomes.first { $0.system == floor && $0.scenario == own.scenario && $0.detail == own.detail }
            return ratio(
                key(own), "durable writes, \(own.detail), end to end", own, over: raw, atLeast: 0.7, \.perSecond,
                \.perSecond
            )?.with(Anchors.durable)
        }
    }

    private static func triggers(_ own: [Outcome]) -> [Goal] {
        let writes = own.filter { $0.growth.contains { $0.axis == WritesScenario.axis } }
        guard let none = writes.first(where: { $0.growth.first?.size == 0 }) else { return [] }
        return WritesScenario.Mismatch.allCases.compactMap { mismatch in
            let those = writes.filter { $0.growth.first?.size != 0 && $0.growth.first?.series == mismatch.rawValue }
            guard let many = those.max(by: { ($0.growth.first?.size ?? 0) < ($1.growth.first?.size ?? 0) }),
                let size = many.growth.first?.size
            else { return nil }
            let cost: (Outcome) -> Double? = { $0.perCPUSecond.map { 1 / $0 } }
            let costs = zip(many.rounds, none.rounds).compactMap { many, none -> Double? in
                guard let many = many.perCPUSecond, let none = none.perCPUSecond, many > 0 else { return nil }
                return none / many
            }
            guard let before = cost(none), let after = cost(many), before > 0 else { return nil }
            let seen = Round.median(costs) ?? after / before
            let spread = Round.spread(costs).map { low, high in
                " (\(Figures.fixed(low, digits: 2)) to \(Figures.fixed(high, digits: 2)))"
            }
            return Goal(
                key: key(many), work: "a write with \(Figures.whole(size)) triggers \(mismatch.rawValue)",
                wanted: "at most 1.05 of a write with none",
                seen: Figures.fixed(seen, digits: 2) + (spread ?? ""), share: 1.05 / seen)
        }
    }
}
