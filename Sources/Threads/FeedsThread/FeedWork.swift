import Feeds
import Model
import Store
import ThreadMessages

/// One feed at work: what is known of each thing it asks for, and what it is to ask for next. A value: times are
/// parameters.
///
/// - Confinement: any
struct FeedWork {
    /// The state of one thing that the feed asks for.
    struct Known {
        var validators = FeedValidators()
        /// When the round of the newest answer began: the next one begins an interval later, however long answers take.
        var checked: Timestamp?
        /// Whether an answer of it was written; before that, nobody is notified.
        var isImported = false
        /// The further things that its answer names; nil when they are not known.
        var more: [FeedTarget]?
        var pace = FeedPace()
    }

    let definition: FeedDefinition
    let key: String?
    /// Tells an answer to this from one to an earlier feed of the name.
    let number: Int
    var known: [String: Known] = [:]
    /// The things to ask for in this round, the last one first.
    private(set) var queue: [FeedTarget] = []
    var underWay: Set<String> = []
    /// Of the feed as a whole.
    var pace = FeedPace()
    private(set) var failuresInRow = 0
    /// The things that fail, with the reason.
    var failing: [String: String] = [:]
    /// Things that nobody wants any more, until their state is gone from the database, too.
    var forgotten: Set<String> = []
    var status = FeedStatus()
    /// The thing whose answer the remark of the status is about.
    var remarkOf: String?
    /// When the present round began, or the last one.
    private(set) var roundBegan: Timestamp?
    /// When to look again for what is due, and when to send the next request; of the loop's clock.
    var looksAt: Int64 = 0
    var startsAt: Int64 = 0
    /// Whether everything is to be asked for, due or not.
    var isHurried = false

    init(_ definition: FeedDefinition, key: String?, number: Int, progress: [FeedProgress]) {
        self.definition = definition
        self.key = key
        self.number = number
        // An answer of another source says nothing about this one.
        if let source = progress.first(where: { $0.target == Self.source }), source.entityTag != definition.source {
            forgotten = Set(progress.map(\.target)).subtracting([Self.source])
            return
        }
        for entry in progress where entry.target != Self.source {
            var known = Known()
            known.checked = entry.checked
            known.isImported = true
            // Things that name further things are asked for whole after a start: a 304 would not name them.
            if !entry.target.hasPrefix("stations/"), !entry.target.hasPrefix("sensors/") {
                known.validators = FeedValidators(entityTag: entry.entityTag, lastModified: entry.lastModified)
            }
            self.known[entry.target] = known
        }
    }

    /// The name under which it is kept of which source the progress is.
    private static let source = "source"

    /// When there is more to do; nil while only answers are awaited.
    var wakesAt: Int64? {
        if !queue.isEmpty, underWay.count < FeedLimits.underWayMax { return startsAt }
        guard queue.isEmpty, underWay.isEmpty, definition.isEnabled || isHurried else { return nil }
        return max(looksAt, pace.until)
    }

    /// Whether a thing is to be asked for.
    func isDue(_ target: FeedTarget, now: Timestamp, tick: Int64) -> Bool {
        guard let known = known[target.key] else { return true }
        if isHurried { return true }
        guard tick >= known.pace.until else { return false }
        guard let checked = known.checked else { return true }
        let age = now.milliseconds - checked.milliseconds
        let interval = interval(of: target)
        // A time of the future is one of a clock that was wrong.
        return age >= interval || age < -interval || known.more == nil && leadsOn(target)
    }

    /// Where stations stand and what they measure changes by the year.
    private func interval(of target: FeedTarget) -> Int64 {
        switch target {
        case .stations, .sensors: max(definition.intervalMilliseconds, FeedLimits.listMilliseconds)
        default: definition.intervalMilliseconds
        }
    }

    private func leadsOn(_ target: FeedTarget) -> Bool {
        switch target {
        case .sensors: true
        case .stations: definition.stations.isAll
        default: false
        }
    }

    /// Begins a round with what is due among what is wanted; of what is wanted no more the state goes.
    ///
    /// - Returns: how many things are to be asked for.
    @discardableResult
    mutating func begin(_ wanted: [FeedTarget], now: Timestamp, tick: Int64) -> Int {
        let wanted = withMore(wanted)
        let due = wanted.filter { isDue($0, now: now, tick: tick) }
        if !due.isEmpty { roundBegan = now }
        enqueue(due)
        let keys = Set(wanted.map(\.key))
        for key in known.keys where Self.isNamed(key) && !keys.contains(key) && !definition.stations.isAll {
            known[key] = nil
            failing[key] = nil
            forgotten.insert(key)
        }
        status.nextRun = nextRun(now: now, beginning: Set(due.map(\.key)))
        return due.count
    }

    /// The wanted things, and the further things that their answers name.
    private func withMore(_ targets: [FeedTarget]) -> [FeedTarget] {
        var all: [FeedTarget] = []
        var seen: Set<String> = []
        var front = targets
        while !front.isEmpty {
            let new = front.filter { seen.insert($0.key).inserted }
            all += new
            front = new.flatMap { known[$0.key]?.more ?? [] }
        }
        return all
    }

    private static func isNamed(_ key: String) -> Bool {
        ["person/", "series/", "index/"].contains { key.hasPrefix($0) }
    }

    /// - Parameter due: the things of the round that begins now.
    private func nextRun(now: Timestamp, beginning due: Set<String>) -> Timestamp? {
        guard definition.isEnabled else { return nil }
        let times = known.compactMap { due.contains($0.key) ? nil : $0.value.checked } + (due.isEmpty ? [] : [now])
        return times.min().map { max(now, $0.adding(milliseconds: definition.intervalMilliseconds)) } ?? now
    }

    /// When to look again for what is due, by the loop's clock: soon for what people begin to follow, and exactly when a known thing is due
    /// before that. Things that fail wait for the next look, and so do lists, which are due once a day.
    func nextLook(now: Timestamp, tick: Int64) -> Int64 {
        var wait = min(FeedLimits.lookMilliseconds, definition.intervalMilliseconds)
        for (key, known) in known
        where known.pace.until <= tick && !key.hasPrefix("stations/") && !key.hasPrefix("sensors/") {
            guard let checked = known.checked else { continue }
            let left = checked.adding(milliseconds: definition.intervalMilliseconds).milliseconds - now.milliseconds
            if left > 0 { wait = min(wait, left) }
        }
        return tick + wait
    }

    /// Adds to the round what is not in it already.
    mutating func enqueue(_ targets: [FeedTarget]) {
        guard !targets.isEmpty else { return }
        let waiting = Set(queue.map(\.key))
        let new = targets.filter { !waiting.contains($0.key) && !underWay.contains($0.key) }
        queue = new.reversed() + queue
    }

    /// The next thing to be asked for.
    mutating func next() -> FeedTarget? { queue.popLast() }

    /// Asks for a thing again, and for nothing before then.
    mutating func putOff(_ target: FeedTarget, until time: Int64) {
        underWay.remove(target.key)
        queue.insert(target, at: 0)
        startsAt = max(startsAt, time)
    }

    /// Gives the round up.
    mutating func giveUp() { queue = [] }

    /// Notes that the source answers.
    mutating func sourceIsWell() {
        pace.succeeded()
        failuresInRow = 0
    }

    /// Delays a thing that failed, by its own backoff; the others go on.
    ///
    /// The source is in trouble when it says so, or when many things in a row fail that were well. A thing that never
    /// was well, or fails again, says nothing about the source: anybody may follow a thing that always fails. Until the
    /// first success everything counts.
    ///
    /// - Parameters:
    ///   - ofSource: whether no other request would fare better.
    ///   - wait: what the source asks for.
    /// - Returns: whether the round was given up, and the source was well before.
    mutating func failed(
        _ target: FeedTarget, _ reason: String, ofSource: Bool, wait: Int64?, at tick: Int64,
        using random: inout some RandomNumberGenerator
    ) -> Bool {
        underWay.remove(target.key)
        let wasWell = known[target.key]?.checked != nil && failing[target.key] == nil
        failing[target.key] = reason
        known[target.key, default: Known()].pace.failed(at: tick, wait: wait, using: &random)
        let counts = wasWell || status.lastSuccess == nil
        if counts { failuresInRow += 1 }
        guard ofSource || counts && failuresInRow >= FeedLimits.failuresInRowMax else { return false }
        giveUp()
        pace.failed(at: tick, wait: wait, using: &random)
        return pace.failures == 1
    }

    /// The progress that an answer has brought.
    func progress(_ target: FeedTarget, _ validators: FeedValidators, at now: Timestamp) -> [FeedProgress] {
        let now = roundBegan ?? now
        return [
            FeedProgress(
                target: target.key, entityTag: validators.entityTag, lastModified: validators.lastModified, checked: now
            ),
            FeedProgress(target: Self.source, entityTag: definition.source, lastModified: nil, checked: now),
        ]
    }

    /// Everything that is known, to be kept over a stop.
    var allProgress: [FeedProgress] {
        known.compactMap { key, known in
            guard known.isImported, let checked = known.checked else { return nil }
            return FeedProgress(
                target: key, entityTag: known.validators.entityTag, lastModified: known.validators.lastModified,
                checked: checked)
        }
    }
}
