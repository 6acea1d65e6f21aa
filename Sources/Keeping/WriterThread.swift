import ClientProtocol
package import EventLoop
import Fanout
package import Mail
import Model
import Peers
package import Services
package import Store
import Synchronization
package import Telemetry
import Wire

/// The thread of the one writer: takes what arrived while the last commit ran, commits it as one, tells every loop.
///
/// - Confinement: store
package final class WriterThread {
    let writer: Writer
    private let stateMachine: StateMachine
    private let clock: WallClock
    let metrics: Metrics
    let storage: StorageHealth
    let log: ServerLog
    private let mail: Mailboxes
    /// The loops to tell of commits.
    private let loops: [Mailbox<LoopMessage>]
    /// What did not fit into the last commit.
    private var queue = FairQueue<WriteOrder>()
    private var watch = WorkWatch()
    /// Microseconds that each command of the last commit took, with what its delivery will take the loops.
    private var took: [Int64] = []
    /// The queue's time before each command of the last batch was taken from it.
    private var takenAt: [Int64] = []
    /// Commits that the loops have not delivered yet, and that take them long.
    private var heavyDeliveries: [HeavyDelivery] = []
    private var isStopping = false
    /// Goes on with the queue, when what has come meanwhile stands in it.
    private var nextTimer: LoopTimer?
    /// Bytes that one user may write in an hour.
    private let writeBytesAnHour: Int
    private var scheduleTimer: LoopTimer?
    /// Goes on with what is due after a batch that was full.
    private var moreDueTimer: LoopTimer?
    private let trimming: TrimLog
    private var housekeeping: Housekeeping?
    /// The newest time that was stored when the process began; nil when there was none.
    private let newestStored: Timestamp?
    private var housekeepingTimer: LoopTimer?
    private var sweeping: StreamSweeping
    /// Tries to write while that fails.
    private var probeTimer: LoopTimer?
    let damageCheck: DamageCheck
    private var isClockHeld = false
    /// From when on what is scheduled is fired, in milliseconds of ``SteadyTime``.
    private let firesFrom: Int64

    /// - Parameters:
    ///   - watched: what sessions watch.
    ///   - loops: the loops to tell of commits.
    ///   - loop: the loop of this thread.
    package init(
        writer: Writer, stateMachine: StateMachine, trimming: TrimLog, watched: WatchedPaths, mail: Mailboxes,
        tellingCommitsTo loops: [Mailbox<LoopMessage>], clock: WallClock, metrics: Metrics, storage: StorageHealth,
        log: ServerLog, writeBytesAnHour: Int, on loop: Loop
    ) {
        self.mail = mail
        self.loops = loops
        sweeping = StreamSweeping(watched: watched)
        self.writeBytesAnHour = writeBytesAnHour
        self.writer = writer
        self.stateMachine = stateMachine
        self.clock = clock
        self.metrics = metrics
        self.storage = storage
        self.log = log
        self.trimming = trimming
        damageCheck = DamageCheck(log, checker: mail.backups)
        firesFrom = Self.firesFrom(writer, at: clock.now(), log)
        newestStored = Self.newestStored(writer, log)
        probeTimer = LoopTimer(on: loop) { [unowned self] in probe() }
        let timer = LoopTimer(on: loop) { [unowned self] in eachSecond() }
        timer.start(afterMilliseconds: 1000, repeatingMilliseconds: 1000)
        scheduleTimer = timer
        moreDueTimer = LoopTimer(on: loop) { [unowned self] in fireDueIfAble() }
        nextTimer = LoopTimer(on: loop) { [unowned self] in process([]) }
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
    package func receive(_ messages: [WriterMessage]) -> Bool {
        var orders: [WriteOrder] = []
        for message in messages {
            switch message {
            case .write(let order): orders.append(order)
            case .checked(let finding): takeFinding(finding)
            case .stop:
                isStopping = true
                process(orders)
                while !queue.isEmpty { process([]) }
                stop()
                return true
            }
        }
        process(orders)
        return false
    }

    /// Commits what has come, in the order in which it came, if it fits into one commit. What does not fit waits, lane by
    /// lane, until the loop has looked who else has come: so nobody's many writes hold up the few of another.
    private func process(_ orders: [WriteOrder]) {
        if areLoopsBusy {
            wait(orders[...])
        } else if queue.isEmpty, orders.count <= Limits.batchCommandsMax {
            if !orders.isEmpty { commitAtOnce(orders) }
        } else {
            wait(orders[...])
            commitNext()
        }
        if !queue.isEmpty { nextTimer?.start(afterMilliseconds: areLoopsBusy ? 1 : 0) }
    }

    /// Whether the loops have as much to deliver as they may have before them: what is committed beyond that would only
    /// stand in their line, where nobody's turn comes earlier than another's.
    private var areLoopsBusy: Bool {
        guard !heavyDeliveries.isEmpty, !isStopping else { return false }
        heavyDeliveries.removeAll { $0.isDelivered }
        return heavyDeliveries.count >= Limits.heavyDeliveriesMax
    }

    private func wait(_ orders: ArraySlice<WriteOrder>) {
        for order in orders { queue.append(order, to: order.lane, expected: order.expectedMicroseconds) }
    }

    /// Commits what has come while nothing waited. What did not fit waits, after those who have had their turn now.
    private func commitAtOnce(_ orders: [WriteOrder]) {
        wait(orders.dropFirst(commitAnswering(orders)))
        guard !queue.isEmpty else { return }
        for (order, took) in zip(orders, took) { queue.charge(order.lane, microseconds: took) }
    }

    /// Commits what is next in the queue.
    private func commitNext() {
        let batch = takeBatch()
        guard !batch.isEmpty else { return }
        let left = batch.dropFirst(commitAnswering(batch))
        if !left.isEmpty {
            queue.putBack(left, since: takenAt[left.startIndex]) { ($0.lane, $0.expectedMicroseconds) }
        }
        // What was expected of it counts already, since it left the queue.
        for (order, took) in zip(batch, took) {
            queue.charge(order.lane, microseconds: took - Int64(order.expectedMicroseconds))
        }
    }

    /// Takes what is next off the queue, and refuses what is too much. It takes no more than is expected to fit into a
    /// commit: who comes meanwhile, and wants little, has the next turn and not one after all that was taken.
    private func takeBatch() -> [WriteOrder] {
        var (batch, expected) = ([WriteOrder](), 0)
        takenAt.removeAll(keepingCapacity: true)
        while batch.count < Limits.batchCommandsMax, expected < Limits.batchMilliseconds * 1000 {
            let time = queue.time
            guard let order = queue.next() else { break }
            if isTooMuch(of: order) {
                metrics.refused(.waitingWork)
                refuse([order], .tooMuchWaits)
                release(order)
            } else {
                expected += order.account?.write.mean ?? 0
                batch.append(order)
                takenAt.append(time)
            }
        }
        return batch
    }

    /// - Returns: how many were answered, from the first on; the others were not begun.
    private func commitAnswering(_ batch: [WriteOrder]) -> Int {
        let count = commit(batch)?.count ?? batch.count
        for order in batch.prefix(count) { release(order) }
        return count
    }

    /// Whether more waits of a user than its part of the time that may: its writes take longer than was known when they
    /// were admitted.
    private func isTooMuch(of order: WriteOrder) -> Bool {
        guard let account = order.account else { return false }
        let part = max(Limits.smallWorkMilliseconds, Limits.waitingWorkMilliseconds / Int64(queue.laneCount + 1))
        let others = queue.count(in: order.lane)
        return others > 0 && (others + 1) * account.write.mean > part * 1000
    }

    /// A write waits no longer.
    private func release(_ order: WriteOrder) {
        metrics.peerMemory.wait(-order.bytes, for: order.account)
        if let account = order.account { metrics.peerMemory.wait(microseconds: -order.work, for: account) }
        metrics.writesPending.subtract(1, ordering: .relaxed)
    }

    /// - Returns: the outcomes of those that were begun, in order; nil when the commit failed.
    @discardableResult
    private func commit(_ batch: [WriteOrder]) -> [Outcome]? {
        if let fault = storage.fault {
            metrics.writesRefused.add(batch.count, ordering: .relaxed)
            refuse(batch, StorageRefusal.untried(fault))
            return nil
        }
        watch.begin()
        let start = watch.now
        var ends = start + Limits.batchMilliseconds * 1000
        var answered = 0
        var delivering: Int64 = 0
        took.removeAll(keepingCapacity: true)
        do {
            let committed = try storage.duringCommit {
                try writer.commit(batch) { order, transaction in
                    let before = transaction.steps.count
                    defer {
                        let worked = watch.lap()
                        let delivery = deliveryMicroseconds(of: order, transaction, from: before)
                        delivering += delivery
                        let microseconds = worked + delivery
                        note(order, took: microseconds)
                        if microseconds >= Limits.longWorkMilliseconds * 1000 {
                            ends = min(ends, start + Limits.longBatchMilliseconds * 1000)
                        }
                    }
                    let answer = try stateMachine.apply(order.request, in: transaction)
                    answered += answer.body.count
                    return Outcome.success(answer)
                } refuse: { error in
                    let outcome = Outcome.failure(refusal(for: error))
                    answered += outcome.bodyBytes
                    return outcome
                } revert: {
                    stateMachine.revert()
                    // They begin anew, and have as long again.
                    (answered, delivering, ends) = (0, 0, watch.now + Limits.batchMilliseconds * 1000)
                    took.removeAll(keepingCapacity: true)
                } mayGoOn: {
                    watch.now + delivering < ends && answered < Limits.batchAnswerBytesMax
                }
            }
            stateMachine.committed()
            metrics.commits.add(1, ordering: .relaxed)
            metrics.writes.add(committed.items.count, ordering: .relaxed)
            publish(committed, of: batch, delivering: delivering)
            noteBroken()
            return committed.items.map(\.outcome)
        } catch {
            fail(batch, error)
            return nil
        }
    }

    /// What the events of a user's command take the loop that has most to do for them.
    ///
    /// - Parameter first: the command's first step.
    private func deliveryMicroseconds(of order: WriteOrder, _ transaction: WriteTransaction, from first: Int) -> Int64 {
        let crowds = metrics.peerMemory.crowds
        guard crowds.areKnown, order.account != nil else { return 0 }
        return transaction.steps[first...].reduce(0) { sum, step in
            guard case .publication(let publication) = step else { return sum }
            return sum + crowds.microseconds(of: publication)
        }
    }

    /// A command of a batch took so long.
    private func note(_ order: WriteOrder, took microseconds: Int64) {
        took.append(microseconds)
        order.account?.write.note(microseconds)
        order.account?.charge(microseconds: microseconds, at: order.tick)
    }

    /// Steps and outcomes: a reply stands after the events of its own write.
    private func publish(_ committed: Writer.Committed<Outcome>, of batch: [WriteOrder], delivering: Int64) {
        let kept = committed.steps.map(Self.keptStep)
        var steps = DeliverySteps(capacity: kept.count + batch.count)
        metrics.count(committed.steps)
        var cost = 0
        for step in kept { cost += step.cost }
        var next = 0
        for (order, item) in zip(batch, committed.items) {
            for step in kept[next..<item.stepCount] { steps.append(step) }
            charge(order, item.outcome, committed.steps[next..<item.stepCount])
            next = item.stepCount
            if let address = order.address {
                metrics.peerMemory.sent(item.outcome.bodyBytes)
                steps.append(address, order.ticket, item.outcome)
            }
            tellFeeds(order, item.outcome)
        }
        let delivered = steps.finish()
        let isHeavy = delivering >= Limits.heavyDeliveryMilliseconds * 1000
        let heavy = isHeavy ? HeavyDelivery(loops: loops.count) : nil
        if let heavy { heavyDeliveries.append(heavy) }
        for loop in loops {
            loop.post(.committed(delivered, kept: kept, cost: cost, head: committed.head, heavy: heavy))
        }
        guard committed.webhooks.isTouched else { return }
        metrics.webhooks.add(committed.webhooks)
        mail.webhooks?.post(.look)
    }

    /// Tells the feeds' thread what concerns it: its own writes, and changes of the feeds.
    private func tellFeeds(_ order: WriteOrder, _ outcome: Outcome) {
        if let number = order.feedWrite { mail.feeds?.post(.written(number, outcome)) }
        guard case .success(let answer) = outcome else { return }
        switch answer.fact {
        case .feedsChanged: mail.feeds?.post(.changed)
        case .feedRun(let name): mail.feeds?.post(.run(name))
        case .none, .version, .due, .swept, .feedWritten: break
        }
    }

    /// A user pays for what a write made: the event that others get, and the answer, which may be a whole document.
    private func charge(_ order: WriteOrder, _ outcome: Outcome, _ steps: ArraySlice<CommittedStep>) {
        guard let account = order.account else { return }
        switch outcome {
        case .success(let answer):
            var written = max(0, order.bytes - Limits.orderBytes) + answer.body.count
            for step in steps { written += step.bytes }
            account.wrote(written, anHour: writeBytesAnHour, at: order.tick)
            let deliveries = steps.count * account.sessionCount
            account.charge(written / Limits.bytesPerWeight + deliveries / Limits.deliveriesPerWeight, at: order.tick)
        case .failure(let refusal):
            account.charge((refusal.found?.data?.count ?? 0) / Limits.bytesPerWeight, at: order.tick)
        }
    }

    private static func keptStep(_ step: CommittedStep) -> KeptStep {
        switch step {
        case .change(let change): .change(change)
        case .publication(let publication): .publication(FramedPublication(publication))
        }
    }

    /// The outcome of the batch is unknown: everybody is to repeat with the same key.
    private func fail(_ batch: [WriteOrder], _ error: any Error) {
        stateMachine.forget()
        noteFailure(error, commands: batch.count)
        refuse(batch, StorageRefusal.failed(writer.fault(of: error)))
        startTrying()
    }

    /// Says once of each trigger that it is set aside: a row of another version, or one that ran out of its budget.
    private func noteBroken() {
        for (name, reason) in stateMachine.takeBroken() {
            log.error("a trigger was disabled", ["trigger": name, "reason": reason])
        }
    }

    private func refuse(_ batch: [WriteOrder], _ refusal: Refusal) {
        let outcome = Outcome.failure(refusal)
        for order in batch {
            tellFeeds(order, outcome)
            guard let address = order.address else { continue }
            metrics.peerMemory.sent(outcome.bodyBytes)
            loops[address.loop].post(.outcome(address, order.ticket, outcome))
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
        // A fault of a moment is over before any client has repeated its write.
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
        metrics.peerMemory.crowds.forgetOld(at: SteadyTime.now)
        isClockHeld = noteClock(clock.heldMilliseconds(), wasHeld: isClockHeld)
        noteBroken()
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
            // A disk that cannot be read is a fault like one that cannot be written.
            if StorageFault.isMet(by: error) {
                noteFailure(error, commands: 0)
                startTrying()
            }
            return false
        }
        let request = WriteRequest(actor: .server, at: now, useCase: useCase)
        let outcomes = commit([WriteOrder(address: nil, ticket: .none, request: request)])
        guard case .success(let answer)? = outcomes?.first, case .due(let isMore) = answer.fact else { return false }
        return isMore
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
                log.error("the position of the log could not be recorded", ["error": "\(error)"])
            }
        }
        let isSweepDue = sweepStreams()
        let took = SteadyTime.now - began
        housekeepingTimer?.start(
            afterMilliseconds: Housekeeping.pause(
                after: took, isMoreDue: isSweepDue || report?.isMoreDue ?? false))
    }

    /// Takes away a few of the streams that nobody needs.
    ///
    /// - Returns: whether more should be looked at at once.
    private func sweepStreams() -> Bool {
        guard storage.fault == nil else { return false }
        let outcome: Outcome?
        do {
            guard try writer.read({ try sweeping.isDue(in: $0) }) else { return false }
            let request = WriteRequest(actor: .server, at: clock.now(), useCase: sweeping.useCase)
            outcome = commit([WriteOrder(address: nil, ticket: .none, request: request)])?.first
        } catch {
            log.error("streams could not be read", ["error": "\(error)"])
            outcome = nil
        }
        return sweeping.settle(outcome.flatMap { try? $0.get() })
    }

    /// - Throws: when the commit failed.
    /// - Returns: nil when the step itself did.
    private func trim(at tick: Int64) throws -> TrimLog.Report? {
        var house =
            housekeeping
            ?? Housekeeping(wall: clock.now(), tick: tick, newest: newestStored, head: writer.head)
        let lag = house.lag(wall: clock.now(), tick: tick)
        house.catchUp(byMilliseconds: lag)
        let clocks = house.clocks(tick: tick)
        let committed = try storage.duringCommit {
            try writer.commit([trimming]) { trimming, transaction in
                if lag > 0 {
                    try transaction.retention.shiftMarks(from: house.firstMark, byMilliseconds: lag)
                }
                return Result<TrimLog.Report, any Error>.success(try trimming.perform(in: transaction, at: clocks))
            } refuse: {
                .failure($0)
            }
        }
        housekeeping = house
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
        nextTimer?.close()
        nextTimer = nil
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

extension CommittedStep {
    /// Bytes of the event that it wrote to the log.
    fileprivate var bytes: Int {
        switch self {
        case .publication(let publication): publication.payload[nil].count
        case .change: 0
        }
    }
}
