package import Configuration
package import EventLoop
import Execution
import Model
import Push
import Services
package import Store
import Telemetry
package import ThreadMessages

/// Sends pushes, on a thread of its own. It looks for due jobs when the writer says that there may be some, asks the
/// loops which users are looking, decides, sends, and hands the results back to the writer.
///
/// A result counts when the database shows it. Until then nothing more is sent for the job, and a result that the writer
/// could not commit is handed over again. After a crash, the next process sends the page again that was not settled; its
/// pushes have the same tags, so they replace the first ones.
///
/// On a member of a cluster only the node that leads sends. A node that leads no more forgets what it was about, as a
/// process that ends; the next one, or itself when it leads again, finds the jobs in the database.
///
/// - Confinement: store (its own thread)
package final class PushSender {
    let loop: Loop
    let reader: Reader
    let services: PushServices
    let trials: PushTrials
    let configuration: PushConfiguration
    let surroundings: PushSurroundings
    let decider: PushDecider
    let dispatch: PushDispatch
    let withdrawals: PushWithdrawals
    var errands = PushErrands()
    var questions: PushQuestions
    var ledger = PushLedger()
    var counts: PushCounts
    var early = EarlyTries()
    /// When the next page of a topic may be sent, on the loop's clock.
    var sharedFrom: Int64 = .min
    private var lookedAt: Int64 = 0
    private var timer: LoopTimer?
    /// Lets several answers of one turn share one look at the queue.
    private var pumpTimer: LoopTimer?
    private var isOnDuty: Bool

    /// - Parameters:
    ///   - folder: The data folder, for keys and tokens.
    ///   - isOnDuty: whether it sends from the beginning; otherwise a message begins its duty.
    package init(
        _ configuration: PushConfiguration, folder: String, reader: Reader, clients: PushClients,
        in surroundings: PushSurroundings, isOnDuty: Bool = true, on loop: Loop
    ) {
        self.isOnDuty = isOnDuty
        self.configuration = configuration
        self.reader = reader
        self.surroundings = surroundings
        decider = PushDecider(configuration, in: surroundings)
        counts = PushCounts(surroundings.metrics.push)
        self.loop = loop
        services = PushServices(
            configuration, folder: folder, clients, surroundings.clock, surroundings.metrics.push,
            surroundings.log, on: loop)
        trials = PushTrials(configuration, reader: reader, services: services, in: surroundings, on: loop)
        dispatch = PushDispatch(configuration, services, surroundings.clock, surroundings.metrics.push, on: loop)
        withdrawals = PushWithdrawals(decider, services, surroundings.clock, on: loop)
        questions = PushQuestions(
            loops: surroundings.mail.loops.count, hasOthers: surroundings.mail.cluster != nil)
        timer = LoopTimer(on: loop) { [unowned self] in look() }
        pumpTimer = LoopTimer(on: loop) { [unowned self] in pump() }
        services.onEarlyEnd = { [unowned self] platform, until in
            early.note(platform, until: until)
            lookSoon()
        }
        services.onRoom = { [unowned self] in pumpSoon() }
        trials.onEnd = { [unowned self] in note($0) }
        dispatch.onEnd = { [unowned self] in end($0, $1) }
        dispatch.onRoom = { [unowned self] in pumpSoon() }
        withdrawals.onResult = { [unowned self] in ledger.add($0) }
        withdrawals.onEnd = { [unowned self] in
            lookSoon()
            pumpSoon()
        }
        lookSoon()
    }

    var now: Timestamp { surroundings.clock.now() }
    var log: ServerLog { surroundings.log }

    /// Handles messages of other threads.
    ///
    /// - Returns: true when it has stopped.
    package func receive(_ messages: [PushMessage]) -> Bool {
        for message in messages {
            switch message {
            case .look: lookSoon()
            case .looking(let looking): if let answer = questions.take(looking) { answered(answer) }
            case .lookedElsewhere(let number, let sessions):
                if let answer = questions.takeElsewhere(number, sessions) { answered(answer) }
            case .duty(let isOn): setDuty(isOn)
            case .tryOut(let trial, let address): trials.begin(trial, for: address)
            case .reload:
                services.reload()
                lookSoon()
            case .stop:
                stop()
                return true
            }
        }
        return false
    }

    private func setDuty(_ isOn: Bool) {
        guard isOn != isOnDuty else { return }
        isOnDuty = isOn
        guard !isOn else { return lookSoon() }
        (errands, early, ledger) = (PushErrands(), EarlyTries(), PushLedger())
        dispatch.forget()
        withdrawals.forget()
        questions.forget()
        counts.clear()
        timer?.stop()
    }

    private func stop() {
        // The results still arrive: the writer stops later than this thread.
        handOver()
        trials.stop()
        timer?.close()
        pumpTimer?.close()
        (timer, pumpTimer) = (nil, nil)
        services.close()
    }

    /// Commits arrive in quick succession; one look serves all of some milliseconds.
    func lookSoon() {
        guard isOnDuty else { return }
        timer?.start(afterMilliseconds: max(0, lookedAt + PushLimits.lookPauseMilliseconds - loop.now))
    }

    /// Sends what has room, at the end of this turn.
    func pumpSoon() { pumpTimer?.start(afterMilliseconds: 0) }

    private func look() {
        lookedAt = loop.now
        var wakesAt = loop.now + PushLimits.lookMilliseconds
        // Before the search, which finds what another key lets go.
        if services.lookForKeys() { wakesAt = loop.now + PushLimits.keyLookMilliseconds }
        do {
            if let next = try find() { wakesAt = min(wakesAt, next) }
        } catch {
            log.error("pushes could not be read", ["error": "\(error)"])
            wakesAt = loop.now + PushLimits.resultRepeatMilliseconds
        }
        let ended = early
        for answer in questions.overdue(tick: loop.now) { answered(answer) }
        errands.endHolds(at: now)
        ask()
        services.countWaiting()
        pump()
        handOver()
        // Pushes that wait too long for room are left for later.
        if !dispatch.isEmpty { wakesAt = min(wakesAt, loop.now + PushLimits.backlogMilliseconds) }
        // A push that was about to be sent has seen another key.
        if early != ended { wakesAt = loop.now }
        if !ledger.isEmpty { wakesAt = min(wakesAt, loop.now + PushLimits.resultRepeatMilliseconds) }
        wakesAt = [wakesAt, questions.overdueAt, holdsEndAt].compactMap { $0 }.min() ?? wakesAt
        timer?.start(afterMilliseconds: max(1, wakesAt - loop.now))
    }

    /// Begins an errand; the loops are asked at the end of the look.
    func begin(_ errand: PushErrand) {
        finish(errands.begin(errand))
    }

    /// Notes the results of an errand that is over.
    func finish(_ number: Int) {
        guard let errand = errands[number], errand.isOver else { return }
        errands[number] = nil
        ledger.add(errand.whole)
        lookSoon()
    }

    /// A push of a test has ended, with these consequences for its device.
    private func note(_ changes: [PushSettlement.DeviceChange]) {
        pumpSoon()
        // A node that does not lead cannot write them; the next push to the device finds out again.
        guard isOnDuty, !changes.isEmpty else { return }
        var settlement = PushSettlement()
        settlement.devices = changes
        ledger.add(settlement)
        lookSoon()
    }

    private func handOver() {
        let due = ledger.due(at: loop.now, repeatMilliseconds: PushLimits.resultRepeatMilliseconds)
        guard !due.isEmpty else { return }
        surroundings.metrics.writesPending.add(1)
        let settlement = PushSettlement(joining: due)
        let request = WriteRequest(actor: .server, at: now, useCase: SettlePushes(settlement))
        surroundings.mail.writer.post(.write(WriteOrder(address: nil, ticket: .none, request: request)))
    }
}

@available(*, unavailable)
extension PushSender: Sendable {}

// MARK: - Questions to the loops

extension PushSender {
    /// Asks every loop about the users of all errands that begin, or whose hold is over.
    private func ask() {
        for (users, batch) in errands.toAsk() {
            let question = questions.ask(users, tick: loop.now)
            for number in batch { errands[number]?.asked(question.number) }
            for loop in surroundings.mail.loops { loop.post(.looking(question)) }
            surroundings.mail.cluster?.post(.signal(.looking(question)))
        }
    }

    private func answered(_ answer: PushQuestions.Answer) {
        for (number, users) in errands.take(answer, at: now) { decide(number, users, answer) }
        // A hold that begins sets the time of the next look.
        lookSoon()
        pumpSoon()
    }

    /// When the first hold is over, on the loop's clock.
    private var holdsEndAt: Int64? {
        errands.holdsEndAt.map { loop.now + max(0, $0.milliseconds - now.milliseconds) }
    }
}
