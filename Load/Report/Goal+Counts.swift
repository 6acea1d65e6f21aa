/// Goals for a single figure of one result.
extension Goal {
    /// The chats per second of CPU that centrifuge reaches with chats in memory; the ambitious goal is more.
    private static let chatsOfCentrifuge = 40_000.0
    private static let chatsMoonshot = 60_000.0

    static func chats(_ own: Outcome) -> Goal? {
        guard own.scenario == "pairs", own.detail == PairsScenario.detail(nil), let seen = own.perCPUSecond else {
            return nil
        }
        var goal = Goal(
            key: "pairs-limit", work: "chat pairs at the limit, per server CPU second",
            wanted: "above \(Figures.whole(chatsOfCentrifuge)), centrifuge's in memory; "
                + "moonshot \(Figures.whole(chatsMoonshot))",
            seen: Figures.whole(seen) + spread(own.rounds.compactMap(\.perCPUSecond), Figures.whole),
            share: seen / chatsOfCentrifuge)
        goal.anchors = Anchors.chats
        return goal
    }

    private static func spread(_ values: [Double], _ text: (Double) -> String) -> String {
        Round.spread(values).map { " (\(text($0)) to \(text($1)))" } ?? ""
    }

    private static let sessionBytes = 1_536
    private static let sessionBytesTLS = 16_384

    /// The slope between the two largest sizes, without and with TLS.
    static func memory(_ own: [Outcome]) -> [Goal] {
        [false, true].compactMap { isEncrypted in
            let idle = own.filter { $0.scenario == "idle" && $0.detail.hasSuffix("TLS") == isEncrypted }
            guard let most = idle.max(by: { $0.connections < $1.connections }), most.connections >= 1_000,
                let bytes = most.bytesPerSession
            else { return nil }
            let wanted = isEncrypted ? sessionBytesTLS : sessionBytes
            var goal = Goal(
                key: isEncrypted ? "idle-tls" : "idle", work: "memory of an idle session, \(most.detail)",
                wanted: "at most \(wanted.grouped) B each", seen: "\(bytes.grouped) B",
                share: Double(wanted) / Double(max(1, bytes)))
            goal.anchors = isEncrypted ? "" : Anchors.idle
            return goal
        }
    }

    static func release(_ own: Outcome) -> Goal? {
        guard own.scenario == "release", let over = own.fact(ReleaseScenario.overPlain),
            let chat = own.latency("chat send → ok")?.microseconds(at: 99)
        else { return nil }
        let written = own.fact(ReleaseScenario.written).map { "; \(Figures.whole($0)) KiB written" } ?? ""
        return Goal(
            key: key(own), work: "release, \(own.detail)",
            wanted: "last device within 1.2 of a plain one; chat p99 under 50 ms; one row",
            seen: "\(Figures.fixed(over, digits: 2)); \(Figures.milliseconds(chat)) ms\(written)",
            share: min(1.2 / over, 50_000 / Double(max(1, chat)), writesOneRow(own) ? 100 : 0))
    }

    /// Whether the audience is one row: ten thousand rows, one for each follower, would be megabytes.
    private static func writesOneRow(_ own: Outcome) -> Bool {
        own.fact(ReleaseScenario.written).map { $0 < 256 } ?? true
    }

    static func paced(_ own: Outcome) -> Goal? {
        guard own.scenario == "pairs", own.detail == PairsScenario.detail(PairsScenario.paced),
            let p99 = own.latency(PairsScenario.times[1])?.microseconds(at: 99)
        else { return nil }
        var goal = Goal(
            key: "pairs-2000-p99", work: "chat at 2,000 messages/s, send to other", wanted: "p99 under 5 ms",
            seen: "\(Figures.milliseconds(p99)) ms", share: 5_000 / Double(max(1, p99)))
        goal.anchors = Anchors.paced
        return goal
    }

    /// Half of the chats' messages must arrive within 0.2 ms beyond the time that one commit took SQLite alone just
    /// before.
    static func overCommit(_ own: Outcome, _ outcomes: [Outcome]) -> Goal? {
        guard own.scenario == "pairs", own.detail == PairsScenario.detail(PairsScenario.paced),
            let commit = own.fact(PairsScenario.commitAlone),
            let p50 = own.latency(PairsScenario.times[1])?.microseconds(at: 50)
        else { return nil }
        let bound = commit + 200
        let times = own.rounds.compactMap { $0.medianMicroseconds.map { Double($0) / 1000 } }
        var goal = Goal(
            key: "pairs-2000-p50", work: "chat at 2,000 messages/s, send to other",
            wanted: "p50 under one commit + 0.2 ms, \(Figures.fixed(bound / 1000, digits: 2)) ms in that minute",
            seen: "\(Figures.milliseconds(p50)) ms" + spread(times) { Figures.fixed($0, digits: 2) },
            share: bound / Double(max(1, p50)))
        goal.anchors = Anchors.paced
        return goal
    }

    static func storm(_ own: Outcome) -> Goal? {
        guard own.scenario == "storm", let last = own.latency("live")?.microseconds(at: 100) else { return nil }
        return Goal(
            key: "storm", work: "storm \(own.detail)", wanted: "the last live within 5 s, 0 lost",
            seen: "\(Figures.fixed(Double(last) / 1e6, digits: 2)) s\(own.isGood ? ", 0 lost" : "")",
            share: own.isGood ? 5_000_000 / Double(max(1, last)) : 0)
    }

    static func start(_ own: Outcome) -> Goal? {
        guard own.scenario == "start", let times = own.latency(StartScenario.axis),
            let half = times.microseconds(at: 50), let most = times.microseconds(at: 100)
        else { return nil }
        return Goal(
            key: key(own), work: "process to first acknowledged write, \(own.detail)", wanted: "under 1 s",
            seen: "\(Figures.milliseconds(half)) ms, at most \(Figures.milliseconds(most)) ms",
            share: 1_000_000 / Double(max(1, most)))
    }

    static func replay(_ own: Outcome) -> Goal? {
        guard own.scenario == "replay", own.skipped == nil, let count = own.count else { return nil }
        return Goal(
            key: "replay", work: "conversations at full speed, every delivery checked",
            wanted: "0 lost, doubled, altered, out of order",
            seen: own.isGood
                ? "\(count.grouped) \(own.unit), all as they must be"
                : own.faults.filter { $0.count > 0 }.map { "\($0.count.grouped) \($0.name)" }.joined(separator: ", "),
            share: own.isGood ? 1 : 0)
    }
}
