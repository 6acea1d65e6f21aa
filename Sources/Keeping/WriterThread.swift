import ClientProtocol
package import EventLoop
package import Execution
import Fanout
package import Mail
import Model
import Notifying
import Peers
package import Services
package import Store
import Synchronization
package import Telemetry
import Triggering
import Wire

/// The thread of the one writer: takes what arrived while the last commit ran, commits it as one, and sends the result to
/// every loop.
///
/// - Confinement: store
package final class WriterThread {
    private let writer: Writer
    private let stateMachine: StateMachine
    private let clock: WallClock
    private let metrics: Metrics
    private let storage: StorageHealth
    private let log: ServerLog
    private let mail: Mailboxes
    /// The loops that deliver commits.
    private let loops: [Mailbox<LoopMessage>]
    private var queue: WriteQueue?
    private var watch = WorkWatch()
    /// Bytes that one user may write in an hour.
    private let writeBytesAnHour: Int
    private var scheduleTimer: LoopTimer?
    /// Goes on with what is due after a batch that was full.
    private var moreDueTimer: LoopTimer?
    private let trimming: LogTrimming
    private var housekeepingTimer: LoopTimer?
    private var sweeping: StreamSweeping
    private let health: WriterHealth
    private var time: WriterClock

    /// - Parameters:
    ///   - watched: what sessions watch.
    ///   - loops: the loops that deliver commits.
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
        time = WriterClock(clock, writer, metrics, log)
        self.trimming = LogTrimming(
            trimming, in: writer, clock, metrics, storage, log, beginningAt: time.mayTrim ? SteadyTime.now : nil)
        let damageCheck = DamageCheck(log, checker: mail.backups)
        health = WriterHealth(writer, storage, metrics, log, damageCheck, on: loop)
        queue = WriteQueue(
            on: loop, metrics,
            WriteQueue.Actions(
                commit: { [unowned self] batch, took in commit(batch, &took)?.items.count ?? batch.count },
                refuse: { [unowned self] in refuse([$0], .tooMuchWaits) }))
        let timer = LoopTimer(on: loop) { [unowned self] in eachSecond() }
        timer.start(afterMilliseconds: 1000, repeatingMilliseconds: 1000)
        scheduleTimer = timer
        moreDueTimer = LoopTimer(on: loop) { [unowned self] in fireDueIfAble() }
        housekeepingTimer = LoopTimer(on: loop) { [unowned self] in keepHouse() }
        housekeepingTimer?.start(afterMilliseconds: Housekeeping.pauseMilliseconds)
        noteBroken()
    }

    /// Position of the newest commit.
    var head: Position { writer.head }

    /// Takes what other threads say, in the order in which it came.
    ///
    /// - Returns: true when it was asked to stop, and has.
    package func receive(_ messages: [WriterMessage]) -> Bool {
        var orders: [WriteOrder] = []
        for message in messages {
            switch message {
            case .write(let order): orders.append(order)
            case .checked(let finding): health.take(finding)
            case .lead, .follow, .apply, .unwritten: break
            case .stop:
                queue?.finish(orders)
                stop()
                return true
            }
        }
        queue?.take(orders)
        return false
    }

    /// Commits a write of the server's own.
    ///
    /// - Returns: its outcome; nil when the commit failed.
    private func commit(_ useCase: any WriteUseCase, at now: Timestamp) -> Outcome? {
        let request = WriteRequest(actor: .server, at: now, useCase: useCase)
        var took: [Int64] = []
        return commit([WriteOrder(address: nil, ticket: .none, request: request)], &took)?.items.first?.outcome
    }

    /// - Parameter took: gets the microseconds that each command took, with what its delivery will take the loops.
    /// - Returns: what was committed; nil when the commit failed.
    private func commit(_ batch: [WriteOrder], _ took: inout [Int64]) -> Writer.Committed<Outcome>? {
        took.removeAll(keepingCapacity: true)
        if let fault = storage.fault {
            metrics.writesRefused.add(batch.count)
            refuse(batch, StorageRefusal.untried(fault))
            return nil
        }
        watch.begin()
        let start = watch.now
        var ends = start + Limits.batchMilliseconds * 1000
        var answered = 0
        var delivering: Int64 = 0
        do {
            let committed = try storage.duringCommit {
                try writer.commit(batch) { order, transaction in
                    let before = transaction.steps.count
                    defer {
                        let worked = watch.lap()
                        let delivery = deliveryMicroseconds(of: order, transaction, from: before)
                        delivering += delivery
                        let microseconds = worked + delivery
                        took.append(microseconds)
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
                    // They begin again, and have as long.
                    (answered, delivering, ends) = (0, 0, watch.now + Limits.batchMilliseconds * 1000)
                    took.removeAll(keepingCapacity: true)
                } mayGoOn: {
                    watch.now + delivering < ends && answered < Limits.batchAnswerBytesMax
                }
            }
            stateMachine.committed()
            metrics.commits.add(1)
            metrics.writes.add(committed.items.count)
            publish(committed, of: batch, delivering: delivering)
            noteBroken()
            return committed
        } catch {
            fail(batch, error)
            return nil
        }
    }

    /// The time that the events of a user's command take on the loop that has most to do for them.
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

    /// A command of a batch took this long.
    private func note(_ order: WriteOrder, took microseconds: Int64) {
        order.account?.write.note(microseconds)
        order.account?.charge(microseconds: microseconds, at: order.tick)
    }

    /// Sends steps and outcomes to the loops: a reply comes after the events of its own write.
    private func publish(_ committed: Writer.Committed<Outcome>, of batch: [WriteOrder], delivering: Int64) {
        let kept = committed.steps.map(Self.keptStep)
        var steps = DeliverySteps(capacity: kept.count + batch.count)
        metrics.count(committed.steps)
        var cost = 0
        for step in kept { cost += step.cost }
        var next = 0
        for index in committed.items.indices {
            let order = batch[index]
            let end = committed.items[index].stepCount
            let outcome = committed.items[index].outcome
            for step in kept[next..<end] { steps.append(step) }
            charge(order, outcome, kept[next..<end])
            next = end
            if let address = order.address {
                metrics.peerMemory.sent(outcome.bodyBytes)
                steps.append(address, order.ticket, outcome)
            }
            tellFeeds(order, outcome)
        }
        let delivered = steps.finish()
        let isHeavy = delivering >= Limits.heavyDeliveryMilliseconds * 1000
        let heavy = isHeavy ? HeavyDelivery(loops: loops.count) : nil
        if let heavy { queue?.note(heavy) }
        for loop in loops {
            loop.post(.committed(delivered, kept: kept, cost: cost, head: committed.head, heavy: heavy))
        }
        if committed.webhooks.isTouched {
            metrics.webhooks.add(committed.webhooks)
            mail.webhooks?.post(.look)
        }
        if committed.pushes.isTouched { mail.push?.post(.look) }
    }

    /// Sends the feeds' thread what concerns it: the outcomes of its own writes, and changes of the feeds.
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
    private func charge(_ order: WriteOrder, _ outcome: Outcome, _ steps: ArraySlice<KeptStep>) {
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
        health.failed(error, commands: batch.count)
        refuse(batch, StorageRefusal.failed(writer.fault(of: error)))
    }

    /// Logs once of each trigger that it is set aside: a row of another version, or one that ran out of its budget.
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

    private func refusal(for error: any Error) -> Refusal {
        let refusal = StateMachine.refusal(for: error)
        if refusal.code == .internal { log.error("command failed", ["error": "\(error)"]) }
        return refusal
    }

    private func eachSecond() {
        metrics.peerMemory.crowds.forgetOld(at: SteadyTime.now)
        time.look()
        noteBroken()
        fireDueIfAble()
    }

    private func fireDueIfAble() {
        if storage.fault == nil, time.mayFire { fireDue() }
    }

    /// Is something scheduled due? Asked here, since nothing else knows the database's time.
    ///
    /// After a full batch the rest follows after a pause, in which the writes of others get their turn.
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
            if StorageFault.isMet(by: error) { health.failed(error) }
            return false
        }
        guard case .success(let answer)? = commit(useCase, at: now), case .due(let isMore) = answer.fact else {
            return false
        }
        return isMore
    }

    /// Removes a few entries that have become too old, and notes how far the log has come.
    private func keepHouse() {
        let began = SteadyTime.now
        var isMoreDue = false
        // A clock that is not believed decides nothing here either.
        if storage.fault == nil, time.mayTrim {
            do {
                isMoreDue = try trimming.trim(at: began)
            } catch {
                health.failed(error)
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
            afterMilliseconds: Housekeeping.pause(after: took, isMoreDue: isSweepDue || isMoreDue))
    }

    /// Removes a few of the streams that nobody needs.
    ///
    /// - Returns: whether more should be looked at at once.
    private func sweepStreams() -> Bool {
        guard storage.fault == nil else { return false }
        let outcome: Outcome?
        do {
            guard try writer.read({ try sweeping.isDue(in: $0) }) else { return false }
            outcome = commit(sweeping.useCase, at: clock.now())
        } catch {
            log.error("streams could not be read", ["error": "\(error)"])
            outcome = nil
        }
        return sweeping.settle(outcome.flatMap { try? $0.get() })
    }

    private func stop() {
        housekeepingTimer?.close()
        housekeepingTimer = nil
        scheduleTimer?.close()
        scheduleTimer = nil
        moreDueTimer?.close()
        moreDueTimer = nil
        health.close()
        do {
            try writer.close()
        } catch {
            log.error("the database did not close cleanly", ["error": "\(error)"])
        }
    }
}

@available(*, unavailable)
extension WriterThread: Sendable {}

extension KeptStep {
    /// Bytes of the event that it wrote to the log.
    fileprivate var bytes: Int {
        switch self {
        case .publication(let framed): framed.publication.payload[nil].count
        case .change: 0
        }
    }
}
