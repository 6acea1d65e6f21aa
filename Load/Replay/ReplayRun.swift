import Client
import EventLoop
import Model

/// A replay on one loop: the bots, the running conversations, and the ledger.
///
/// - Confinement: loop
final class ReplayRun {
    /// The steps of a run.
    enum Stage {
        case connecting, playing, settling(since: Int64), asking(Inspection), done
    }

    let loop: Loop
    let plan: ReplayPlan
    var ledger: Ledger
    private(set) var bots: [ReplayBot] = []
    private var stage = Stage.connecting
    private var waiting: [Dialogue]
    private var busy: Set<ChatID> = []
    private var players: [Int: DialoguePlayer] = [:]
    private var started = 0
    private(set) var played = 0
    private var progress = ProgressLine()
    private var ticker: LoopTimer?
    private let startedAt = ContinuousClock.now
    private var playedAt: ContinuousClock.Instant?
    private var progressAt: Int64 = 0
    private var progressMark = 0
    private var failure: LoadFailure?
    private var movedAt: Int64 = 0

    private init(on loop: Loop, plan: ReplayPlan, notificationKind: String) {
        self.loop = loop
        self.plan = plan
        waiting = plan.dialogues.reversed()
        ledger = Ledger(
            run: String(UInt64.random(in: 1 << 40..<1 << 48), radix: 36),
            dialogues: plan.dialogues,
            rooms: plan.rooms,
            deviceCount: plan.deviceCount,
            notificationKind: notificationKind
        )
        // A node that lags by more takes no new sessions (`--lag-ready`).
        if !plan.others.isEmpty { ledger.nodeLag = .seconds(5) }
    }

    /// Plays a plan to its end, on the calling thread.
    static func play(
        _ plan: ReplayPlan,
        on server: ServerAddress,
        mint: TokenMint,
        notificationKind: String
    ) throws -> ReplayReport {
        let loop = try Loop()
        let run = ReplayRun(on: loop, plan: plan, notificationKind: notificationKind)
        for (user, account) in run.ledger.accounts.enumerated() {
            run.bots.append(
                ReplayBot(account.user, user, in: run, servers: [server] + plan.others, mint: mint))
        }
        for bot in run.bots { bot.start() }
        let ticker = LoopTimer(on: loop) { run.tick() }
        ticker.start(afterMilliseconds: 50, repeatingMilliseconds: 50)
        run.ticker = ticker
        run.progressAt = loop.now
        loop.run()
        run.ticker = nil
        if let failure = run.failure { throw failure }
        return run.report
    }

    /// Ends the run early.
    func fail(_ reason: String) {
        guard failure == nil else { return }
        failure = LoadFailure(reason)
        end()
    }

    /// Called when a conversation has ended.
    ///
    /// - Parameter number: of its player.
    func dialogueEnded(_ number: Int, in chat: ChatID) {
        players[number] = nil
        busy.remove(chat)
        played += 1
        startDialogues()
    }

    /// Called when all questions of the final check are answered.
    func inspected() {
        end()
    }

    // MARK: Stages

    private func tick() {
        noteProgress()
        moveDevices()
        progress.show(status, at: loop.now)
        switch stage {
        case .connecting:
            guard bots.allSatisfy(\.isReady) else { break }
            stage = .playing
            startDialogues()
        case .playing:
            guard played == plan.dialogues.count, bots.allSatisfy({ $0.pendingCount == 0 }) else { break }
            playedAt = ContinuousClock.now
            stage = .settling(since: loop.now)
        case .settling(let since): settle(since: since)
        case .asking, .done: break
        }
    }

    /// After the last turn: waits until everything has arrived, or nothing has arrived for a while.
    private func settle(since: Int64) {
        guard bots.allSatisfy(\.isLive) else {
            stage = .settling(since: loop.now)
            return
        }
        let isComplete = ledger.owed == 0 && ledger.wrongUnread().isEmpty
        guard isComplete || loop.now - max(since, progressAt) >= 5_000 else { return }
        ledger.countMissing()
        for wrong in ledger.wrongUnread() { ledger.findings.add(.wrongUnread, wrong) }
        let inspection = Inspection(of: self)
        stage = .asking(inspection)
        inspection.start()
    }

    private func startDialogues() {
        guard case .playing = stage else { return }
        var skipped: [Dialogue] = []
        while players.count < plan.concurrency, let dialogue = waiting.popLast() {
            guard !busy.contains(dialogue.chat) else {
                skipped.append(dialogue)
                continue
            }
            guard let player = DialoguePlayer(dialogue, started, in: self) else { continue }
            // In a room several conversations go on at the same time.
            if !dialogue.chat.isRoom { busy.insert(dialogue.chat) }
            players[started] = player
            started += 1
            player.start()
        }
        waiting.append(contentsOf: skipped.reversed())
    }

    /// While conversations are played, a device moves to another node now and then.
    private func moveDevices() {
        guard case .playing = stage, let period = plan.moveEveryMilliseconds else {
            movedAt = loop.now
            return
        }
        while loop.now - movedAt >= period {
            movedAt += period
            bots.randomElement()?.moveSomeDevice()
        }
    }

    private func noteProgress() {
        let mark = ledger.deliveries + played + ledger.acknowledgements.count + bots.count(where: \.isReady)
        if mark != progressMark {
            progressMark = mark
            progressAt = loop.now
        }
        guard loop.now - progressAt >= plan.patienceMilliseconds, failure == nil else { return }
        guard case .connecting = stage else {
            ledger.countMissing()
            ledger.findings.add(.unanswered, "nothing happened for \(plan.patienceMilliseconds / 1000) s")
            return end()
        }
        fail("not all bots could connect within \(plan.patienceMilliseconds / 1000) s")
    }

    private func end() {
        if case .done = stage { return }
        stage = .done
        for bot in bots { bot.stop() }
        progress.end(status)
        loop.stop()
    }

    // MARK: Results

    private var reconnects: Int { bots.reduce(0) { $0 + $1.reconnects } }

    private var status: String {
        let broken = ledger.findings.total
        return "\(played.grouped)/\(plan.dialogues.count.grouped) conversations · "
            + "\(ledger.acknowledgements.count.grouped) messages · \(ledger.deliveries.grouped) deliveries · "
            + "\(broken == 0 ? "nothing" : broken.grouped) broken · \(reconnects.grouped) reconnects"
    }

    private var report: ReplayReport {
        ReplayReport(
            conversations: played,
            messages: ledger.writes.count { $0.acknowledged != nil && !$0.isRecommendation },
            recommendations: ledger.writes.count { $0.acknowledged != nil && $0.isRecommendation },
            deliveries: ledger.deliveries,
            notifications: ledger.accounts.reduce(0) { sum, account in
                account.notifications.values.reduce(sum) { $0 + $1.delivered.nonzeroBitCount }
            },
            users: ledger.accounts.count,
            rooms: plan.rooms.count,
            devices: plan.deviceCount,
            reconnects: reconnects,
            duration: (playedAt ?? ContinuousClock.now) - startedAt,
            findings: ledger.findings,
            acknowledgements: ledger.acknowledgements,
            arrivals: ledger.arrivals
        )
    }
}

@available(*, unavailable)
extension ReplayRun: Sendable {}
