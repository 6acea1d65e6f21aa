import EventLoop
import Foundation
import JSON
import Synchronization

/// The steps of a league, which the main thread directs: a goal in each match at once, then one by one, then a
/// correction of all goals of the first step.
///
/// - Confinement: one thread at a time
final class LeagueRun {
    private let plan: LeaguePlan
    private let meter: ProcessMeter
    private let seconds: Double
    private let board = LeagueBoard()
    private let admin: AdminCalls
    private var threads: [LoopThread] = []
    private var loops: [Mailbox<LeagueLoop.Order>] = []
    private var report: LeagueReport

    /// - Parameter seconds: The length of the second round.
    /// - Throws: when there is no administrator's token.
    init(_ plan: LeaguePlan, pid: Int64, seconds: Double) throws {
        guard let user = plan.user(plan.fans) else { throw LoadFailure("no user to write as") }
        self.plan = plan
        self.seconds = seconds
        meter = ProcessMeter(pid: pid)
        admin = AdminCalls(server: plan.server, token: plan.mint.token(for: user, isAdmin: true))
        report = LeagueReport(plan: plan)
    }

    /// - Throws: `LoadFailure` when the league could not run to its end.
    func play() throws -> LeagueReport {
        defer {
            for thread in threads { thread.stop() }
            for thread in threads { thread.join() }
        }
        try prepare()
        let all = plan.matches
        try round("one batch", rounds: 1) {
            try write((0..<all).map { LeaguePlan.goal($0, round: "a", score: "1:0", sent: LeagueClock.now) })
        }
        try round("one by one", rounds: 2) {
            let begun = LeagueClock.now
            for match in 0..<all {
                let due = begun + Int64(seconds * 1e6) * Int64(match) / Int64(all)
                let wait = due - LeagueClock.now
                if wait > 0 { Thread.sleep(forTimeInterval: Double(wait) / 1e6) }
                try write([LeaguePlan.goal(match, round: "b", score: "1:1", sent: LeagueClock.now)])
            }
        }
        try round("corrected", rounds: 2, isCorrecting: true) {
            try write((0..<all).map { LeaguePlan.goal($0, round: "a", score: "0:1", sent: LeagueClock.now) })
        }
        tell(.finish)
        try wait("the books were not closed", seconds: 20) { $0.finished.load(ordering: .relaxed) == plan.loops }
        let result = board.result
        report.faults = result.faults
        report.countsTold = result.countsTold
        report.countsAhead = result.countsAhead
        report.peakBytes = meter.peakBytes ?? 0
        return report
    }

    private func prepare() throws {
        _ = try admin.perform("PUT", "/v1/triggers/\(LeaguePlan.trigger)", LeaguePlan.row)
        let follows = plan.follows
        Terminal.note("league: \(plan.fans.grouped) fans follow \(follows.count.grouped) topics")
        for first in stride(from: 0, to: follows.count, by: 500) {
            let writes = Array(follows[first..<min(first + 500, follows.count)])
            _ = try admin.perform("POST", "/v1/documents", ["writes": .array(writes)])
        }
        for number in 0..<plan.loops {
            let (thread, orders) = try LoopThread.start(named: "league-\(number)") { [plan, board] loop in
                let part = LeagueLoop(number, on: loop, plan: plan, board: board)
                return try Mailbox<LeagueLoop.Order>(on: loop) { orders in
                    for order in orders { part.receive(order) }
                }
            }
            threads.append(thread)
            loops.append(orders)
        }
        tell(.connect)
        try wait("not all fans could connect", seconds: 120) { $0.live.load(ordering: .relaxed) == plan.fans }
    }

    /// One goal of each match, the wait for all deliveries, and the check of every fan's ledger.
    private func round(_ name: String, rounds: Int, isCorrecting: Bool = false, _ write: () throws -> Void) throws {
        Terminal.note("league: a goal in each of \(plan.matches.grouped) matches, \(name)")
        tell(.begin(isCorrecting: isCorrecting))
        let before = board.received.load(ordering: .relaxed)
        let begun = ContinuousClock.now
        let cpu = try meter.read().cpuSeconds
        try write()
        let owed = plan.owed
        var (seen, since) = (-1, ContinuousClock.now)
        // Deliveries that are missing after this are lost, and counted as such.
        try wait("", seconds: 120) { board in
            let count = board.received.load(ordering: .relaxed) - before
            if count != seen { (seen, since) = (count, .now) }
            return count >= owed || .now - since > .seconds(10)
        }
        let took = ContinuousClock.now - begun
        // Time for duplicates and for the last counts to arrive.
        Thread.sleep(forTimeInterval: 0.5)
        let used = try meter.read().cpuSeconds - cpu
        let received = board.received.load(ordering: .relaxed) - before
        board.checked.store(0, ordering: .relaxed)
        tell(.check(rounds: rounds))
        try wait("not every fan could be asked", seconds: 60) { $0.checked.load(ordering: .relaxed) == plan.fans }
        report.rounds.append(
            .init(
                name: name, owed: owed, received: received, times: board.takeTimes(), seconds: took / .seconds(1),
                cpuSeconds: used))
    }

    private func write(_ goals: [(path: String, data: JSONValue)]) throws {
        let writes = goals.map { goal -> JSONValue in ["op": "put", "path": .string(goal.path), "data": goal.data] }
        _ = try admin.perform("POST", "/v1/documents", ["writes": .array(writes)])
    }

    private func tell(_ order: LeagueLoop.Order) { for loop in loops { loop.post(order) } }

    private func wait(_ problem: String, seconds: Double, until isReached: (LeagueBoard) -> Bool) throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while !isReached(board) {
            try board.check()
            guard ContinuousClock.now < end else { throw LoadFailure("\(problem) within \(Int(seconds)) s") }
            Thread.sleep(forTimeInterval: 0.005)
        }
        try board.check()
    }
}
