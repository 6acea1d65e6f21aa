import ClientProtocol
import EventLoop
import Fanout
import JSON
import Model
import Services
import Store
import Synchronization
import Wire

/// A write on its way, and to whom its outcome goes; an object, since it goes from array to array on its way.
///
/// - Confinement: any
final class WriteOrder: Sendable {
    let address: ConnectionAddress?
    let ticket: Ticket
    let request: WriteRequest
    /// The number under which the feeds' thread waits for the outcome.
    let feedWrite: Int?

    init(address: ConnectionAddress?, ticket: Ticket, request: WriteRequest, feedWrite: Int? = nil) {
        self.address = address
        self.ticket = ticket
        self.request = request
        self.feedWrite = feedWrite
    }
}

/// The thread of the one writer: takes what arrived while the last commit ran, commits it as one, tells every loop.
///
/// - Confinement: store
final class WriterThread {
    let writer: Writer
    private let stateMachine: StateMachine
    private let clock: WallClock
    let metrics: Metrics
    let storage: StorageHealth
    let log: ServerLog
    private var loops: [Mailbox<LoopMessage>] = []
    private var feeds: Mailbox<FeedKeeper.Message>?
    /// Who sends webhooks; nil where nobody does.
    private var webhooks: Mailbox<WebhookSender.Message>?
    private var scheduleTimer: LoopTimer?
    /// Goes on with what is due after a batch that was full.
    private var moreDueTimer: LoopTimer?
    private let trimming: TrimLog
    private var housekeeping: Housekeeping?
    private var housekeepingTimer: LoopTimer?
    /// Tries to write while that fails.
    private var probeTimer: LoopTimer?
    private var isClockHeld = false
    /// From when on what is scheduled is fired, in milliseconds of ``SteadyTime``.
    private let firesFrom: Int64

    /// - Parameter loop: the loop of this thread.
    init(
        writer: Writer, stateMachine: StateMachine, trimming: TrimLog, clock: WallClock, metrics: Metrics,
        storage: StorageHealth,
        log: ServerLog, on loop: Loop
    ) {
        self.writer = writer
        self.stateMachine = stateMachine
        self.clock = clock
        self.metrics = metrics
        self.storage = storage
        self.log = log
        self.trimming = trimming
        firesFrom = Self.firesFrom(writer, at: clock.now(), log)
        probeTimer = LoopTimer(on: loop) { [unowned self] in probe() }
        let timer = LoopTimer(on: loop) { [unowned self] in eachSecond() }
        timer.start(afterMilliseconds: 1000, repeatingMilliseconds: 1000)
        scheduleTimer = timer
        moreDueTimer = LoopTimer(on: loop) { [unowned self] in fireDueIfAble() }
        housekeepingTimer = LoopTimer(on: loop) { [unowned self] in keepHouse() }
        housekeepingTimer?.start(afterMilliseconds: Housekeeping.pauseMilliseconds)
        tryFirst()
        noteBroken()
    }

    /// Position of the newest commit.
    var head: Position { writer.head }

    /// Takes what other threads say, in the order in which it came.
    ///
    /// - Returns: true when it was told to stop, and has.
    func receive(_ messages: [Message]) -> Bool {
        var orders: [WriteOrder] = []
        for message in messages {
            switch message {
            case .write(let order): orders.append(order)
            case .loops(let mailboxes): loops = mailboxes
            case .feeds(let mailbox): feeds = mailbox
            case .webhooks(let mailbox): webhooks = mailbox
            case .stop:
                process(orders)
                stop()
                return true
            }
        }
        process(orders)
        return false
    }

    /// What other threads tell the writer.
    enum Message: Sendable {
        case write(WriteOrder)
        /// The loops to tell of commits; the first message.
        case loops([Mailbox<LoopMessage>])
        /// Who is told of changes of feeds, and of the outcomes of its writes.
        case feeds(Mailbox<FeedKeeper.Message>)
        /// Whom to tell that webhooks were queued.
        case webhooks(Mailbox<WebhookSender.Message>)
        /// Commit what came before, then close the database.
        case stop
    }

    private func process(_ orders: [WriteOrder]) {
        var rest = orders[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(Limits.batchCommandsMax))
            rest = rest.dropFirst(batch.count)
            commit(batch)
            metrics.writesPending.subtract(batch.count, ordering: .relaxed)
        }
    }

    /// - Returns: the outcomes, in order; none when the commit failed.
    @discardableResult
    private func commit(_ batch: [WriteOrder]) -> [Outcome] {
        if let fault = storage.fault {
            metrics.writesRefused.add(batch.count, ordering: .relaxed)
            refuse(batch, StorageRefusal.untried(fault))
            return []
        }
        do {
            let committed = try storage.duringCommit {
                try writer.commit(batch) { order, transaction in
                    Outcome.success(try stateMachine.apply(order.request, in: transaction))
                } refuse: { error in
                    .failure(refusal(for: error))
                } revert: {
                    try reloadTriggers()
                }
            }
            metrics.commits.add(1, ordering: .relaxed)
            metrics.writes.add(batch.count, ordering: .relaxed)
            publish(committed, of: batch)
            noteBroken()
            return committed.items.map(\.outcome)
        } catch {
            fail(batch, error)
            return []
        }
    }

    /// Steps and outcomes: a reply stands behind the events of its own write.
    private func publish(_ committed: Writer.Committed<Outcome>, of batch: [WriteOrder]) {
        let kept = committed.steps.map(Self.keptStep)
        var steps = DeliverySteps(capacity: kept.count + batch.count)
        metrics.count(committed.steps)
        var next = 0
        for (order, item) in zip(batch, committed.items) {
            for step in kept[next..<item.stepCount] { steps.append(step) }
            next = item.stepCount
            if let address = order.address { steps.append(address, order.ticket, item.outcome) }
            tellFeeds(order, item.outcome)
        }
        let delivered = steps.finish()
        for loop in loops { loop.post(.committed(delivered, kept: kept, head: committed.head)) }
        guard committed.webhooks.isTouched else { return }
        metrics.webhooks.add(committed.webhooks)
        webhooks?.post(.look)
    }

    /// Tells the feeds' thread what concerns it: its own writes, and changes of the feeds.
    private func tellFeeds(_ order: WriteOrder, _ outcome: Outcome) {
        if let number = order.feedWrite { feeds?.post(.written(number, outcome)) }
        guard case .success = outcome else { return }
        if order.request.useCase is any FeedChange { feeds?.post(.changed) }
        if let run = order.request.useCase as? RunFeed, run.isToBegin { feeds?.post(.run(run.name)) }
    }

    private static func keptStep(_ step: CommittedStep) -> KeptStep {
        switch step {
        case .change(let change): .change(change)
        case .publication(let publication): .publication(FramedPublication(publication))
        }
    }

    /// The outcome of the batch is unknown: everybody is to repeat with the same key.
    private func fail(_ batch: [WriteOrder], _ error: any Error) {
        noteFailure(error, commands: batch.count)
        refuse(batch, StorageRefusal.failed(StorageFault(error)))
        startTrying()
        do {
            try reloadTriggers()
        } catch {
            log.error("triggers could not be reloaded", ["error": "\(error)"])
        }
    }

    /// What is in the database decides, after a transaction that did not hold.
    private func reloadTriggers() throws {
        stateMachine.reload(triggerRows: try writer.read { try $0.triggers.all() })
        noteBroken()
    }

    /// Says once of each trigger that it is set aside: a row of another version, or one that ran out of its budget.
    private func noteBroken() {
        for (name, reason) in stateMachine.takeBroken() {
            log.error("a trigger is set aside", ["trigger": name, "reason": reason])
        }
    }

    private func refuse(_ batch: [WriteOrder], _ refusal: Refusal) {
        for order in batch {
            tellFeeds(order, .failure(refusal))
            guard let address = order.address else { continue }
            loops[address.loop].post(.outcome(address, order.ticket, .failure(refusal)))
        }
    }

    /// A server that starts on a full disk serves what it has, and knows that it cannot write.
    private func tryFirst() {
        do {
            try writer.probe()
        } catch {
            noteFailure(error, commands: 0)
            startTrying()
        }
    }

    private func startTrying() {
        // A fault of a moment is over before anybody has repeated his write.
        probeTimer?.start(afterMilliseconds: 50, repeatingMilliseconds: Limits.probeMilliseconds)
    }

    private func probe() {
        if triesToWrite() { probeTimer?.stop() }
    }

    private func refusal(for error: any Error) -> Refusal {
        let refusal = StateMachine.refusal(for: error)
        if refusal.code == .internal { log.error("command failed", ["error": "\(error)"]) }
        return refusal
    }

    private func eachSecond() {
        isClockHeld = noteClock(clock.heldMilliseconds(), wasHeld: isClockHeld)
        fireDueIfAble()
    }

    private func fireDueIfAble() {
        if storage.fault == nil, SteadyTime.now >= firesFrom { fireDue() }
    }

    /// Is something scheduled due? Asked here, since nothing else knows the database's time.
    ///
    /// What is more than a batch goes on after a pause, in which the writes of others get their turn.
    private func fireDue() {
        let began = SteadyTime.now
        let triggers = fire(FireDueTriggers()) { try [$0.triggers.nextDue()] }
        let others = fire(DeliverDue()) { try [$0.digests.nextDue(), $0.snoozes.nextDue()] }
        guard triggers || others else { return }
        let took = SteadyTime.now - began
        moreDueTimer?.start(afterMilliseconds: max(Limits.dueBatchPauseMilliseconds, took))
    }

    /// - Returns: whether the batch was full, so that more may be due.
    private func fire(_ useCase: any WriteUseCase, due: (Transaction) throws -> [Timestamp?]) -> Bool {
        let now = clock.now()
        do {
            guard try writer.read(due).contains(where: { $0.map { $0 <= now } ?? false }) else { return false }
        } catch {
            log.error("schedules could not be read", ["error": "\(error)"])
            return false
        }
        let request = WriteRequest(actor: .server, at: now, useCase: useCase)
        let outcomes = commit([WriteOrder(address: nil, ticket: .none, request: request)])
        guard case .success(let answer)? = outcomes.first, let answer = try? JSONValue(parsing: answer) else {
            return false
        }
        return DueBatch.wasFull(answer)
    }

    /// Takes away a little of what has become too old, and notes how far the log has come.
    private func keepHouse() {
        let began = SteadyTime.now
        var report: TrimLog.Report?
        // A clock that is not believed decides nothing here either.
        if storage.fault == nil, !isClockHeld, began >= firesFrom {
            do {
                report = try trim(at: began)
            } catch {
                noteFailure(error, commands: 0)
                startTrying()
            }
        }
        if storage.fault == nil {
            do {
                try writer.noteHead()
            } catch {
                log.error("how far the log has come could not be noted", ["error": "\(error)"])
            }
        }
        let took = SteadyTime.now - began
        housekeepingTimer?.start(
            afterMilliseconds: Housekeeping.pause(after: took, isMoreDue: report?.isMoreDue ?? false))
    }

    /// - Throws: when the commit failed.
    /// - Returns: nil when the step itself did.
    private func trim(at tick: Int64) throws -> TrimLog.Report? {
        let housekeeping = housekeeping ?? Housekeeping(wall: clock.now(), tick: tick)
        self.housekeeping = housekeeping
        let now = housekeeping.now(tick: tick)
        let committed = try storage.duringCommit {
            try writer.commit([trimming]) { trimming, transaction in
                Result<TrimLog.Report, any Error>.success(try trimming.perform(in: transaction, at: now))
            } refuse: {
                .failure($0)
            }
        }
        guard case .success(let report)? = committed.items.first?.outcome else {
            log.error("the log could not be trimmed", ["error": "\(committed.items.map(\.outcome))"])
            return nil
        }
        metrics.logTrimmed.add(report.trimmed, ordering: .relaxed)
        metrics.logRetainedFrom.store(Int(report.retainedFrom.value), ordering: .relaxed)
        metrics.logEntries.store(Int(writer.head.value - report.retainedFrom.value), ordering: .relaxed)
        return report
    }

    private func stop() {
        housekeepingTimer?.close()
        housekeepingTimer = nil
        scheduleTimer?.close()
        scheduleTimer = nil
        moreDueTimer?.close()
        moreDueTimer = nil
        probeTimer?.close()
        probeTimer = nil
        do {
            try writer.close()
        } catch {
            log.error("the database did not close cleanly", ["error": "\(error)"])
        }
    }
}

@available(*, unavailable)
extension WriterThread: Sendable {}
