import Client
import Foundation
import Model
import Synchronization

/// The common part of all scenarios, and the steps of each: connect, warm up, measure, wait for late messages, check.
struct Course: Sendable {
    /// The name of the system in the results.
    var system = "watchwise"
    var server: ServerAddress
    var dialect = Dialect.watchwise
    /// Signs tokens for the server; nil when it needs none.
    var mint: TokenMint?
    var meter: ProcessMeter
    /// Other processes that belong to the measured system: their processor time is not that of others.
    var partners: [ProcessMeter] = []
    var seconds: Double
    var warmup: Double
    let loopCount: Int
    /// Part of the names of this run's users, so that a second run finds nothing of the first.
    var run = String(UInt32.random(in: 1 << 24..<1 << 31), radix: 36)

    /// A user of this run.
    func user(_ name: String) -> UserID? {
        UserID("load-\(run)-\(name)")
    }

    /// A target whose connections are users, each with a name made from its index.
    func target(_ name: @escaping @Sendable (Int) -> String) -> LoadTarget {
        LoadTarget(server: server, dialect: dialect) { [self] index in
            guard let mint, let user = user(name(index)) else { return "" }
            return mint.token(for: user)
        }
    }

    /// For calls as an administrator.
    func admin() throws(LoadFailure) -> AdminCalls {
        guard let mint, let user = user("admin") else { throw LoadFailure("this server has no administrator") }
        return AdminCalls(server: server, token: mint.token(for: user, isAdmin: true))
    }

    /// The connections that a loop opens, out of `count`; pairs of neighbours stay together.
    func share(of count: Int, loop: Int) -> [Int] {
        (0..<count).filter { $0 / 2 % loopCount == loop }
    }

    /// Runs a crew's load and measures it.
    ///
    /// - Parameters:
    ///   - times: The names of the times to take from the board.
    ///   - isPaced: Whether the load has a fixed rate.
    ///   - meanwhile: Called repeatedly on the main thread, with the measured seconds so far.
    func measure(
        _ scenario: String,
        _ detail: String,
        connections: Int,
        crew: Crew,
        times: [String] = [],
        isPaced: Bool = false,
        meanwhile: (Double) throws -> Void = { _ in }
    ) throws -> Outcome {
        var isStopped = false
        defer { if !isStopped { crew.stop() } }
        let board = crew.board
        crew.begin()
        try pass(warmup, board) { _ in }
        crew.measure()
        let (began, before, own) = (ContinuousClock.now, try meter.read(), try ProcessMeter.own.read())
        let (usedBefore, partnersBefore) = (Machine.usedSeconds, partnersSeconds)
        let countBefore = board.count.load(ordering: .relaxed)
        var timeline = Timeline()
        timeline.add(seconds: 0, count: countBefore, reading: before)
        var progress = ProgressLine()
        var sampledAt = 0.0
        try pass(seconds, board) { elapsed in
            try meanwhile(elapsed)
            guard elapsed - sampledAt >= max(0.1, seconds / 100) else { return }
            sampledAt = elapsed
            timeline.add(seconds: elapsed, count: board.count.load(ordering: .relaxed), reading: try meter.read())
            let rate = timeline.points.last?.perSecond ?? 0
            progress.show(
                "\(system) \(scenario) \(detail): \(Int(elapsed)) of \(Int(seconds)) s · \(Figures.whole(rate))/s")
        }
        progress.clear()
        let (after, ownAfter, used) = (try meter.read(), try ProcessMeter.own.read(), Machine.usedSeconds - usedBefore)
        let partnersUsed = max(0, partnersSeconds - partnersBefore)
        let count = board.count.load(ordering: .relaxed) - countBefore
        let span = (ContinuousClock.now - began) / .seconds(1)
        let thorough = try meter.read(isThorough: true)
        try crew.settle(seconds: 20)
        crew.stop()
        isStopped = true
        var outcome = Outcome(system: system, scenario: scenario, detail: detail)
        outcome.connections = connections
        outcome.seconds = span
        outcome.count = count
        outcome.cpuSeconds = after.cpuSeconds - before.cpuSeconds
        outcome.residentBytes = after.residentBytes
        outcome.proportionalBytes = thorough.proportionalBytes
        outcome.descriptors = after.descriptors
        outcome.latencies = times.map { ($0, board.latencies($0).summary) }
        outcome.timeline = timeline
        outcome.faults = board.faults
        let ownUsed = ownAfter.cpuSeconds - own.cpuSeconds
        outcome.generator = Generator(
            share: ownUsed / max(span, 0.001) / Double(loopCount),
            lateMicroseconds: board.latencies(ScoreBoard.lateness).summary.microseconds(at: 99), isPaced: isPaced,
            othersShare: max(0, used - ownUsed - outcome.cpuSeconds - partnersUsed) / max(span, 0.001)
                / Double(Machine.processors))
        return outcome
    }

    /// The processor time of the partners that run.
    private var partnersSeconds: Double { partners.reduce(0) { $0 + ((try? $1.read().cpuSeconds) ?? 0) } }

    private func pass(_ seconds: Double, _ board: ScoreBoard, _ look: (Double) throws -> Void) throws {
        let began = ContinuousClock.now
        while true {
            try board.check()
            let elapsed = (ContinuousClock.now - began) / .seconds(1)
            try look(elapsed)
            guard elapsed < seconds else { return }
            Thread.sleep(forTimeInterval: min(0.05, max(0.001, seconds - elapsed)))
        }
    }
}

extension ScoreBoard {
    /// The name under which the loops record how late their paced sends were.
    static let lateness = "lateness"
}
