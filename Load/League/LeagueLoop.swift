import EventLoop
import Synchronization

/// One loop's share of the fans.
///
/// - Confinement: loop
final class LeagueLoop {
    /// The main thread's commands, in this order.
    enum Order: Sendable {
        case connect
        /// A round begins; in a round of corrections no notification may interrupt.
        case begin(isCorrecting: Bool)
        /// Every fan asks for the list and compares it with the ledger; this many goals of each match were written.
        case check(rounds: Int)
        case finish
    }

    /// The most connections or requests at once.
    private static let underWayMax = 64

    private let plan: LeaguePlan
    private let board: LeagueBoard
    private let loop: Loop
    private let number: Int
    private var fans: [LeagueFan] = []
    private var next = 0
    private var times = Latencies()
    private(set) var isCorrecting = false

    init(_ number: Int, on loop: Loop, plan: LeaguePlan, board: LeagueBoard) {
        self.number = number
        self.loop = loop
        self.plan = plan
        self.board = board
        for index in stride(from: number, to: plan.fans, by: plan.loops) {
            guard let user = plan.user(index) else { continue }
            fans.append(LeagueFan(index, user: user, of: self, on: loop, plan: plan))
        }
    }

    func receive(_ order: Order) {
        switch order {
        case .connect: for _ in 0..<Self.underWayMax { startNext() }
        case .begin(let isCorrecting):
            self.isCorrecting = isCorrecting
            times.forget()
        case .check(let rounds):
            board.add(times)
            next = 0
            for _ in 0..<Self.underWayMax { checkNext(rounds) }
        case .finish:
            for fan in fans {
                board.add(fan.ledger)
                fan.stop()
            }
            board.finished.add(1, ordering: .relaxed)
        }
    }

    func fail(_ reason: String) { board.fail(reason) }

    /// Called when a fan is connected.
    func live() {
        board.live.add(1, ordering: .relaxed)
        startNext()
    }

    /// Called when a goal has arrived.
    func heard(_ sent: Int64) {
        times.record(.microseconds(LeagueClock.now - sent))
        board.received.add(1, ordering: .relaxed)
    }

    private func startNext() {
        guard next < fans.count else { return }
        next += 1
        fans[next - 1].start()
    }

    private func checkNext(_ rounds: Int) {
        guard next < fans.count else { return }
        next += 1
        fans[next - 1].check(rounds: rounds) { [unowned self] in
            board.checked.add(1, ordering: .relaxed)
            checkNext(rounds)
        }
    }
}

/// The clock by which the writer and the fans time a goal.
enum LeagueClock {
    private static let start = ContinuousClock.now

    /// Microseconds since it was first asked.
    static var now: Int64 { Int64((ContinuousClock.now - start) / .microseconds(1)) }
}

/// The results that the loops share with the main thread.
///
/// - Confinement: any
final class LeagueBoard: Sendable {
    let live = Atomic<Int>(0)
    let received = Atomic<Int>(0)
    let checked = Atomic<Int>(0)
    let finished = Atomic<Int>(0)

    /// Protected by its lock.
    private struct Entries {
        var problem: String?
        var times = Latencies()
        var faults: [LeagueLedger.Fault: Int] = [:]
        var countsTold = 0
        var countsAhead = 0
    }

    private let entries = Mutex(Entries())

    func fail(_ reason: String) { entries.withLock { $0.problem = $0.problem ?? reason } }

    /// - Throws: when a loop has given up.
    func check() throws(LoadFailure) {
        if let problem = entries.withLock({ $0.problem }) { throw LoadFailure(problem) }
    }

    func add(_ times: Latencies) { entries.withLock { $0.times.add(times) } }

    /// Takes the times of the round, and forgets them.
    func takeTimes() -> Latencies {
        entries.withLock { entries in
            defer { entries.times = Latencies() }
            return entries.times
        }
    }

    func add(_ ledger: LeagueLedger) {
        entries.withLock { entries in
            entries.faults.merge(ledger.faults, uniquingKeysWith: +)
            entries.countsTold += ledger.countsTold
            entries.countsAhead += ledger.countsAhead
        }
    }

    /// The findings of all fans together.
    var result: (faults: [LeagueLedger.Fault: Int], countsTold: Int, countsAhead: Int) {
        entries.withLock { ($0.faults, $0.countsTold, $0.countsAhead) }
    }
}

@available(*, unavailable)
extension LeagueLoop: Sendable {}
