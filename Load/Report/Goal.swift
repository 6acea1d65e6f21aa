/// What is to be reached, as far as a run tells: each is a ratio of two figures of the same run, or a count.
struct Goal: Equatable {
    let work: String
    let wanted: String
    let seen: String
    let isReached: Bool

    /// Holds the outcomes against the figures to reach; what was not measured is left out.
    static func judge(_ outcomes: [Outcome]) -> [Goal] {
        besideOthers(outcomes) + outcomes.compactMap(chats) + againstTheDisk(outcomes) + outcomes.compactMap(memory)
            + outcomes.compactMap(release) + outcomes.compactMap(paced)
            + outcomes.compactMap { fsync($0, outcomes) } + outcomes.compactMap(storm) + triggers(outcomes)
    }

    /// Names of the bare loop's results.
    static let floor = "floor"
    static let floorInBatches = "floor, in batches"

    private static func ratio(
        _ work: String, _ own: Outcome, over other: Outcome?, atLeast least: Double, _ figure: (Outcome) -> Double?
    ) -> Goal? {
        guard let other, let mine = figure(own), let theirs = figure(other), theirs > 0 else { return nil }
        let seen = mine / theirs
        return Goal(
            work: work, wanted: "at least \(Figures.fixed(least, digits: 2)) of \(other.system)",
            seen: Figures.fixed(seen, digits: 2), isReached: seen >= least)
    }

    private static func besideOthers(_ outcomes: [Outcome]) -> [Goal] {
        outcomes.filter { $0.system == "watchwise" && ["echo", "fanout", "broadcast"].contains($0.scenario) }.flatMap {
            own in
            let beside = outcomes.filter { $0.scenario == own.scenario && $0.detail == own.detail }
            let others = beside.filter { ![own.system, floor, floorInBatches].contains($0.system) }
            let best = others.max { ($0.perCPUSecond ?? 0) < ($1.perCPUSecond ?? 0) }
            let work = "\(own.scenario) \(own.detail), per server CPU second"
            // An echo is measured beside the bare loop, too, but held only against those that are servers.
            let bare = own.scenario == "echo" ? nil : beside.first { $0.system == floor }
            return [
                ratio(work, own, over: best, atLeast: 1, \.perCPUSecond),
                ratio(work, own, over: bare, atLeast: 0.95, \.perCPUSecond),
            ].compactMap(\.self)
        }
    }

    /// What centrifuge does with chats that it keeps in memory, for each second of its CPU; and what would be the moonshot.
    private static let chatsOfCentrifuge = 40_000
    private static let chatsMoonshot = 60_000

    private static func chats(_ own: Outcome) -> Goal? {
        guard own.system == "watchwise", own.scenario == "pairs", own.detail == PairsScenario.detail(nil),
            let seen = own.perCPUSecond
        else { return nil }
        return Goal(
            work: "chat pairs at the limit, per server CPU second",
            wanted: "above \(chatsOfCentrifuge.grouped), centrifuge's in memory; moonshot \(chatsMoonshot.grouped)",
            seen: Figures.whole(seen), isReached: seen > Double(chatsOfCentrifuge))
    }

    private static func againstTheDisk(_ outcomes: [Outcome]) -> [Goal] {
        outcomes.filter { $0.system == "watchwise" && $0.scenario == "writes" }.compactMap { own in
            let raw = outcomes.first { $0.system == floor && $0.scenario == own.scenario && $0.detail == own.detail }
            return ratio("durable writes, \(own.detail), end to end", own, over: raw, atLeast: 0.7, \.perSecond)
        }
    }

    private static func memory(_ own: Outcome) -> Goal? {
        guard own.system == "watchwise", own.scenario == "idle", own.connections >= 1_000,
            let bytes = own.bytesPerSession
        else { return nil }
        return Goal(
            work: "memory of an idle session, \(own.connections.grouped) of them", wanted: "at most 1,536 B",
            seen: "\(bytes.grouped) B", isReached: bytes <= 1_536)
    }

    private static func release(_ own: Outcome) -> Goal? {
        guard own.scenario == "release", let over = own.fact("last device, over plain"),
            let chat = own.latency("chat send → ok")?.microseconds(at: 99)
        else { return nil }
        return Goal(
            work: "release, \(own.detail)", wanted: "last device within 1.2 of a plain one; chat p99 under 50 ms",
            seen: "\(Figures.fixed(over, digits: 2)); \(Figures.milliseconds(chat)) ms",
            isReached: over <= 1.2 && chat < 50_000)
    }

    private static func paced(_ own: Outcome) -> Goal? {
        guard own.scenario == "pairs", own.detail == PairsScenario.detail(2_000),
            let p99 = own.latency(PairsScenario.times[1])?.microseconds(at: 99)
        else { return nil }
        return Goal(
            work: "chat at 2,000 messages/s, send to other", wanted: "p99 under 5 ms",
            seen: "\(Figures.milliseconds(p99)) ms", isReached: p99 < 5_000)
    }

    /// Half of the chats' messages are there a fifth of a millisecond after what one commit takes SQLite alone.
    private static func fsync(_ own: Outcome, _ outcomes: [Outcome]) -> Goal? {
        let alone = outcomes.first { $0.system == floor && $0.detail == WritesScenario(batch: 1).detail }
        guard own.scenario == "pairs", own.detail == PairsScenario.detail(2_000), let perSecond = alone?.perSecond,
            perSecond > 0, let p50 = own.latency(PairsScenario.times[1])?.microseconds(at: 50)
        else { return nil }
        let bound = UInt64(1_000_000 / perSecond) + 200
        return Goal(
            work: "chat at 2,000 messages/s, send to other",
            wanted: "p50 under one commit + 0.2 ms, \(Figures.milliseconds(bound)) ms here",
            seen: "\(Figures.milliseconds(p50)) ms", isReached: p50 < bound)
    }

    private static func storm(_ own: Outcome) -> Goal? {
        guard own.scenario == "storm", let last = own.latency("live")?.microseconds(at: 100) else { return nil }
        return Goal(
            work: "storm \(own.detail)", wanted: "the last live within 5 s, 0 lost",
            seen: "\(Figures.fixed(Double(last) / 1e6, digits: 2)) s", isReached: last < 5_000_000 && own.isGood)
    }

    private static func triggers(_ outcomes: [Outcome]) -> [Goal] {
        let writes = outcomes.filter { $0.system == "watchwise" && $0.growth?.axis == WritesScenario.axis }
        guard let none = writes.first(where: { $0.growth?.size == 0 }),
            let many = writes.max(by: { ($0.growth?.size ?? 0) < ($1.growth?.size ?? 0) }),
            let size = many.growth?.size, size > 0, let before = none.growth?.cost, let after = many.growth?.cost,
            before > 0
        else { return [] }
        return [
            Goal(
                work: "a write with \(Figures.whole(size)) triggers that do not match",
                wanted: "at most 1.05 of a write with none", seen: Figures.fixed(after / before, digits: 2),
                isReached: after / before <= 1.05)
        ]
    }
}
