import Client
import EventLoop
import Foundation
import JSON
import Model

/// The steps of a storm, which the main thread directs.
///
/// - Confinement: one thread at a time
final class StormRun {
    private static let noticesAway = 3
    /// The server is ended when this share of the messages to clients is acknowledged.
    private static let acknowledgedAtFall = 0.8

    private let plan: StormPlan
    private let server: ServedProcess
    /// Killed in place of ``server``, and not started again: the clients come back at ``server``.
    private let victim: ServedProcess?
    private let patience: Duration
    private let board = StormBoard()
    private enum ProbeOrder: Sendable { case start, time(StormProbe.Moment?), finish }

    private var threads: [LoopThread] = []
    private var loops: [Mailbox<StormLoop.Order>] = []
    private var probe: Mailbox<ProbeOrder>?
    private var notices: Int64 = 0
    private var report: StormReport

    init(_ plan: StormPlan, server: ServedProcess, victim: ServedProcess? = nil, patience: Duration) {
        self.plan = plan
        self.server = server
        self.victim = victim
        self.patience = patience
        report = StormReport(plan: plan)
    }

    /// - Throws: `LoadFailure` when the storm could not run to its end.
    func play() throws -> StormReport {
        defer {
            for thread in threads { thread.stop() }
            for thread in threads { thread.join() }
        }
        try prepare()
        let own = ProcessMeter.own
        try fall()
        let began = ContinuousClock.now
        let before = plan.mode == .reconnect || victim != nil ? try meter.read().cpuSeconds : 0
        let ownBefore = try own.read().cpuSeconds
        probe?.post(.time(.during))
        tell(.storm)
        try wait("not everybody is back", for: patience) { $0.awaited == 0 }
        probe?.post(.time(nil))
        tell(.drip(false))
        report.storm = .now - began
        report.serverCPU = try meter.read().cpuSeconds - before
        report.ownCPU = try own.read().cpuSeconds - ownBefore
        report.reading = try meter.read(isThorough: true)
        report.ends = board.resetEnds()
        let owed = notices * Int64(plan.clients)
        // Deliveries that are missing after this are lost, and counted as such.
        try? wait("", for: .seconds(20)) {
            $0.pending == 0 && $0.received == $0.acknowledged && $0.noticed == owed
        }
        report.written = try board.status().acknowledged
        report.notices = notices
        tell(.finish(notices: notices, since: began))
        probe?.post(.finish)
        try waitUntil("the books were not closed", for: .seconds(20)) {
            board.result.loops == plan.loops && board.figures != nil
        }
        report.books = board.result.books
        for (moment, name) in [(StormProbe.Moment.before, "before"), (.during, "during")] {
            let figures = board.figures?[moment] ?? [:]
            report.latencies.append(("ping \(name)", figures[.ping] ?? Latencies()))
            report.latencies.append(("write to ok \(name)", figures[.send] ?? Latencies()))
        }
        let (status, _) = server.end(SIGTERM)
        report.exits.append(status)
        return report
    }

    private var meter: ProcessMeter { ProcessMeter(pid: server.pid) }

    /// Connects all clients, disconnects half of them, and writes to all.
    private func prepare() throws {
        for number in 0..<plan.loops {
            let (thread, orders) = try LoopThread.start(named: "storm-\(number)") { [plan, board] loop in
                let part = StormLoop(number, on: loop, plan: plan, board: board)
                return try Mailbox<StormLoop.Order>(on: loop) { orders in
                    for order in orders { part.receive(order) }
                }
            }
            threads.append(thread)
            loops.append(orders)
        }
        let (thread, orders) = try LoopThread.start(named: "probe") { [plan, board] loop in
            let probe = StormProbe(on: loop, plan: plan, board: board)
            return try Mailbox<ProbeOrder>(on: loop) { orders in
                for order in orders {
                    switch order {
                    case .start: probe.start()
                    case .time(let moment): probe.time(moment)
                    case .finish: probe.finish()
                    }
                }
            }
        }
        threads.append(thread)
        probe = orders
        orders.post(.start)
        Terminal.note("storm \(plan.mode.rawValue): connecting \(plan.clients.grouped) clients")
        tell(.connect)
        let count = Int64(plan.clients)
        try wait("not all clients could connect and be written to", for: .seconds(120)) {
            $0.live == self.plan.clients && $0.received == count && $0.pending == 0
        }
        Terminal.note("storm: half of them go, and are written to")
        tell(.sendAway)
        try wait("half of the clients did not go", for: .seconds(30)) { $0.live <= self.plan.clients / 2 + 1 }
        for _ in 0..<Self.noticesAway { try publishNotice() }
        tell(.feed(rounds: plan.rounds))
        let share = plan.mode == .reconnect ? 1 : Self.acknowledgedAtFall
        tell(.drip(true))
        let wanted = count + Int64(Double(count) * Double(plan.rounds) * share)
        try wait("the clients could not be written to", for: .seconds(300)) { $0.acknowledged >= wanted }
        _ = board.resetEnds()
    }

    /// Does the mode's action to the server; when this returns, the server is running.
    private func fall() throws {
        tell(.awaitAll)
        switch plan.mode {
        case .reconnect:
            // The latency for comparison with the storm's, over the same connections.
            probe?.post(.time(.before))
            Thread.sleep(forTimeInterval: 2)
        case .kill:
            report.exits.append((victim ?? server).end(SIGKILL).status)
            if victim == nil { _ = try server.start() }
        case .drain:
            let (status, time) = server.end(SIGTERM)
            report.exits.append(status)
            report.drain = time
            report.drainEnds = board.resetEnds()
            _ = try server.start()
        }
        if plan.mode == .kill { _ = board.resetEnds() }
    }

    private func publishNotice() throws {
        guard let admin = plan.user("admin") else { throw LoadFailure("no user to publish as") }
        notices += 1
        let body: JSONValue = [
            "audience": "everyone", "title": .string("\(StormLedger.noticeTitle)\(notices)"), "body": "storm",
        ]
        let calls = AdminCalls(server: plan.server, token: plan.mint.token(for: admin, isAdmin: true))
        _ = try calls.perform("POST", "/v1/broadcasts", body)
    }

    private func tell(_ order: StormLoop.Order) {
        for loop in loops { loop.post(order) }
    }

    private func wait(
        _ problem: String, for duration: Duration, until isReached: (StormBoard.Status) -> Bool
    ) throws {
        try waitUntil(problem, for: duration) { isReached(try board.status()) }
    }

    private func waitUntil(_ problem: String, for duration: Duration, _ isReached: () throws -> Bool) throws {
        let end = ContinuousClock.now + duration
        while try !isReached() {
            guard ContinuousClock.now < end else {
                throw LoadFailure("\(problem) within \(duration): \(try board.status())")
            }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }
}
