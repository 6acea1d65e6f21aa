import ClientProtocol
package import EventLoop
package import Execution
import Journal
import Model
import Notifying
package import PersonalData
import Quotas
package import Services
package import Store
package import Telemetry
package import ThreadMessages

/// The thread of the one writer: takes what arrived while the last commit ran, commits it as one, and sends the result to
/// every loop.
///
/// On a node among others it also has a role, see ``Membership``.
///
/// - Confinement: store
package final class WriterThread {
    private let writer: Writer
    private let stateMachine: StateMachine
    private let clock: WallClock
    private let metrics: Metrics
    private let storage: StorageHealth
    private let log: ServerLog
    private let committer: BatchCommitter
    private let publisher: CommitPublisher
    private let health: WriterHealth
    /// Nil on a node that is alone.
    private let membership: Membership?
    private var queue: WriteQueue?
    private var timedWork: TimedWork?
    private var erasureDuty: ErasureDuty?
    private let erasures: ErasureTraces
    private var timer: LoopTimer?
    /// Called on a member when the duties of the node that leads begin here, and when they end: feeds, webhooks, pushes.
    package var dutyChanged: (_ isOn: Bool) -> Void = { _ in }

    /// - Parameters:
    ///   - watched: what sessions watch.
    ///   - loops: the loops that deliver commits.
    ///   - member: nil on a node that is alone.
    ///   - loop: the loop of this thread.
    package init(
        writer: Writer, stateMachine: StateMachine, trimming: TrimLog, watched: WatchedPaths, mail: Mailboxes,
        tellingCommitsTo loops: [Mailbox<LoopMessage>], clock: WallClock, metrics: Metrics, storage: StorageHealth,
        log: ServerLog, writeBytesAnHour: Int, member: WriterMember? = nil, ledger: ErasureLedger? = nil, on loop: Loop
    ) {
        self.writer = writer
        self.stateMachine = stateMachine
        self.clock = clock
        self.metrics = metrics
        self.storage = storage
        self.log = log
        health = WriterHealth(writer, storage, metrics, log, DamageCheck(log, checker: mail.backups), on: loop)
        publisher = CommitPublisher(writer, mail, loops, metrics, writeBytesAnHour: writeBytesAnHour)
        erasures = ErasureTraces(writer, ledger, search: mail.search, metrics, log, on: loop)
        publisher.erasures = erasures
        var order: JournalOrder?
        if let member, let cluster = mail.cluster {
            let journal = JournalOrder(member, schema: writer.schema, cluster, clock, metrics.journal)
            membership = Membership(
                member, writer, publisher, cluster, order: journal, health, storage, clock, metrics, log, on: loop)
            order = journal
        } else {
            membership = nil
        }
        committer = BatchCommitter(writer, stateMachine, metrics, storage, log, order: order)
        queue = WriteQueue(
            on: loop, metrics,
            WriteQueue.Actions(
                commit: { [unowned self] batch, took in commit(batch, &took)?.items.count ?? batch.count },
                refuse: { [unowned self] in publisher.refuse([$0], .tooMuchWaits) }))
        // The paths that sessions of other nodes watch are not known here: a member sweeps the streams of topics alone.
        timedWork = TimedWork(
            trimming, StreamSweeping(watched: watched, isMember: membership != nil), writer, clock, metrics, storage,
            log,
            TimedWork.Actions(
                commit: { [unowned self] in commit($0, at: $1) },
                trimmed: { [unowned self] in membership?.committed() },
                failed: { [unowned self] in fail([], $0) },
                unreadable: { [unowned self] in fail([], $0) }),
            on: loop)
        erasureDuty = ErasureDuty(
            writer, metrics, storage, log, search: mail.search, erasures, on: loop
        ) { [unowned self] in commit($0, at: clock.now()) }
        erasures.begin(at: clock.now())
        publisher.noteErasure = { [unowned self] in erasureDuty?.wake() }
        timer = LoopTimer(on: loop) { [unowned self] in look() }
        timer?.start(
            afterMilliseconds: member?.lookMilliseconds ?? 1000, repeatingMilliseconds: member?.lookMilliseconds ?? 1000
        )
        publisher.noteHeavy = { [unowned self] in queue?.note($0) }
        membership?.following.areLoopsBusy = { [unowned self] in queue?.areLoopsBusy ?? false }
        membership?.lost = { [unowned self] in endLeading() }
        membership?.marked = { mail.backups.post(.digest($0, number: $1)) }
        if membership == nil { beginDuties() }
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
            case .apply(let entry, let place):
                // Another node has written, so this one leads no more.
                membership?.follow()
                membership?.following.add(entry, at: place)
            case .unwritten(let answers):
                membership?.following.applyKept()
                membership?.waiting.take(answers)
            case .lead(let place):
                // Earlier writes wait with those that have waited longer.
                take(orders)
                orders = []
                beginLeading(at: place)
            case .follow: membership?.follow()
            case .mark(let number): membership?.mark(number)
            case .stop:
                finish(orders)
                return true
            }
        }
        take(orders)
        return false
    }

    private func take(_ orders: [WriteOrder]) {
        guard let membership else { return queue?.take(orders) ?? () }
        membership.following.applyKept()
        queue?.take(membership.take(orders))
    }

    /// Commits a write of the server's own.
    ///
    /// - Returns: its outcome; nil when the commit failed.
    private func commit(_ useCase: any WriteUseCase, at now: Timestamp) -> Outcome? {
        let request = WriteRequest(actor: .server, at: now, useCase: useCase)
        let order = WriteOrder(address: nil, ticket: .none, request: request)
        // Not from the queue, which would release it.
        if membership != nil { metrics.hold(order) }
        defer { if membership != nil { metrics.release(order) } }
        var took: [Int64] = []
        return commit([order], &took)?.items.first?.outcome
    }

    /// - Parameter took: gets the microseconds that each command took, with what its delivery will take the loops.
    /// - Returns: what was committed; nil when the commit failed.
    private func commit(_ batch: [WriteOrder], _ took: inout [Int64]) -> CommittedBatch<Outcome>? {
        took.removeAll(keepingCapacity: true)
        if let membership, !membership.leads {
            membership.waiting.takeBack(batch)
            return nil
        }
        if let fault = storage.fault {
            metrics.writesRefused.add(batch.count)
            publisher.refuse(batch, StorageRefusal.untried(fault))
            return nil
        }
        do {
            let result = try committer.commit(batch, &took)
            membership?.committed(result.committed, of: batch)
            publisher.publish(result.committed, of: batch, delivering: result.delivering)
            noteBroken()
            return result.committed
        } catch {
            fail(batch, error)
            return nil
        }
    }

    /// The outcome of the batch is unknown: everybody is to repeat with the same key. On a member the writes wait.
    private func fail(_ batch: [WriteOrder], _ error: any Error) {
        if let membership { return membership.failed(error, of: batch) }
        health.failed(error, commands: batch.count)
        if !batch.isEmpty { publisher.refuse(batch, StorageRefusal.failed(writer.fault(of: error))) }
    }

    /// Logs once of each trigger that it is set aside: a row of another version, or one that ran out of its budget.
    private func noteBroken() {
        for (name, reason) in stateMachine.takeBroken() {
            log.error("a trigger was disabled", ["trigger": name, "reason": reason])
        }
    }

    private func look() {
        metrics.peerMemory.crowds.forgetOld(at: SteadyTime.now)
        membership?.look()
        erasures.look(at: clock.now())
        noteBroken()
    }

    private func beginDuties() {
        timedWork?.begin()
        erasureDuty?.begin()
    }

    private func finish(_ orders: [WriteOrder]) {
        if let membership {
            membership.following.applyKept()
            queue?.finish(membership.take(orders))
            membership.stop()
        } else {
            queue?.finish(orders)
        }
        timedWork?.close()
        erasureDuty?.close()
        erasures.close()
        timer?.close()
        timer = nil
        health.close()
        do {
            try writer.close()
        } catch {
            log.error("the database did not close cleanly", ["error": "\(error)"])
        }
    }
}

// MARK: - The role

extension WriterThread {
    /// This node leads: it forgets what it remembered of the database, does the first leader's writes, and takes the
    /// writes that have waited.
    private func beginLeading(at place: JournalPlace) {
        guard let membership else { return }
        membership.follow()
        membership.following.applyKept()
        guard let waiting = membership.lead(at: place) else { return }
        stateMachine.forget()
        do {
            let write = { [unowned self] (useCase: any WriteUseCase) in
                guard membership.leads, case .success? = commit(useCase, at: clock.now()) else { return false }
                stateMachine.forget()
                return true
            }
            try membership.member.first.commit(reading: writer, write)
            if membership.leads { try erasures.eraseAgain(write) }
        } catch { fail([], error) }
        if membership.leads {
            beginDuties()
            dutyChanged(true)
        }
        queue?.take(membership.take(waiting))
    }

    /// This node leads no more: the writes in its queue wait with those to come.
    private func endLeading() {
        stateMachine.forget()
        timedWork?.end()
        erasureDuty?.end()
        dutyChanged(false)
        membership?.waiting.adopt(queue?.removeAll() ?? [])
    }
}

@available(*, unavailable)
extension WriterThread: Sendable {}
