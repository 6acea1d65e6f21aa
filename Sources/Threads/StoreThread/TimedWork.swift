import EventLoop
import Execution
import Model
import Notifying
import Services
import Store
import Telemetry
import ThreadMessages
import TriggerExecution

/// The work that goes with time: schedules and digests, trimming of what is too old, sweeping of streams.
///
/// One node does it for all: the one that is alone, or the one that leads.
///
/// - Confinement: store
final class TimedWork {
    /// How its writes are committed.
    ///
    /// - Confinement: store
    struct Actions {
        /// Commits a write of the server's own; nil when that failed.
        let commit: (_ useCase: any WriteUseCase, _ now: Timestamp) -> Outcome?
        /// A step of trimming is committed.
        let trimmed: () -> Void
        /// A step of trimming failed.
        let failed: (any Error) -> Void
        /// A read failed, because of the disk.
        let unreadable: (any Error) -> Void
    }

    private let writer: Writer
    private let step: TrimLog
    private let clock: WallClock
    private let metrics: Metrics
    private let storage: StorageHealth
    private let log: ServerLog
    private let actions: Actions
    private var sweeping: StreamSweeping
    /// Nil while another node does the work.
    private var trimming: LogTrimming?
    private var time: WriterClock?
    private var scheduleTimer: LoopTimer?
    /// Goes on with what is due after a batch that was full.
    private var moreDueTimer: LoopTimer?
    private var housekeepingTimer: LoopTimer?

    init(
        _ step: TrimLog, _ sweeping: StreamSweeping, _ writer: Writer, _ clock: WallClock, _ metrics: Metrics,
        _ storage: StorageHealth, _ log: ServerLog, _ actions: Actions, on loop: Loop
    ) {
        self.step = step
        self.writer = writer
        self.clock = clock
        self.metrics = metrics
        self.storage = storage
        self.log = log
        self.actions = actions
        self.sweeping = sweeping
        scheduleTimer = LoopTimer(on: loop) { [unowned self] in eachSecond() }
        moreDueTimer = LoopTimer(on: loop) { [unowned self] in fireDueIfAble() }
        housekeepingTimer = LoopTimer(on: loop) { [unowned self] in keepHouse() }
    }

    /// The work is this node's from now on. It begins with the times that the database has now: another node may have
    /// written since this one last did.
    func begin() {
        let time = WriterClock(clock, writer, metrics, log)
        self.time = time
        trimming = LogTrimming(
            step, in: writer, clock, metrics, storage, log, beginningAt: time.mayTrim ? SteadyTime.now : nil)
        scheduleTimer?.start(afterMilliseconds: 1000, repeatingMilliseconds: 1000)
        housekeepingTimer?.start(afterMilliseconds: Housekeeping.pauseMilliseconds)
    }

    /// Another node does the work from now on.
    func end() {
        time = nil
        trimming = nil
        for timer in [scheduleTimer, moreDueTimer, housekeepingTimer] { timer?.stop() }
    }

    func close() {
        for timer in [scheduleTimer, moreDueTimer, housekeepingTimer] { timer?.close() }
        (scheduleTimer, moreDueTimer, housekeepingTimer) = (nil, nil, nil)
    }

    private func eachSecond() {
        time?.look()
        fireDueIfAble()
    }

    private func fireDueIfAble() {
        if storage.fault == nil, time?.mayFire == true { fireDue() }
    }

    /// Is something scheduled due? Asked here, since nothing else knows the database's time.
    ///
    /// After a full batch the rest follows after a pause, in which the writes of others get their turn.
    private func fireDue() {
        let began = SteadyTime.now
        let facts = [
            fire(FireDueTriggers()) { try [$0.triggers.nextDue()] },
            fire(DeliverDue()) { try [$0.digests.nextDue(), $0.snoozes.nextDue(), $0.broadcasts.nextDue()] },
        ]
        guard facts.contains(.due(isMore: true)), time != nil else { return }
        let took = SteadyTime.now - began
        moreDueTimer?.start(afterMilliseconds: max(Limits.dueBatchPauseMilliseconds, took))
    }

    /// - Returns: what was done, and whether the batch was full, so that more may be due; nil for nothing.
    private func fire(_ useCase: any WriteUseCase, due: (Transaction) throws -> [Timestamp?]) -> AnswerFact? {
        let now = clock.now()
        do {
            guard time != nil, try writer.read(due).contains(where: { $0.map { $0 <= now } ?? false }) else {
                return nil
            }
        } catch {
            log.error("schedules could not be read", ["error": "\(error)"])
            // A disk that cannot be read is a fault like one that cannot be written.
            if StorageFault.isMet(by: error) { actions.unreadable(error) }
            return nil
        }
        guard case .success(let answer)? = actions.commit(useCase, now) else { return nil }
        return answer.fact
    }

    /// Removes a few entries that have become too old, and notes how far the log has come.
    private func keepHouse() {
        let began = SteadyTime.now
        var isMoreDue = false
        // A clock that is not believed decides nothing here either.
        if storage.fault == nil, time?.mayTrim == true, let trimming {
            do {
                isMoreDue = try trimming.trim(at: began)
                actions.trimmed()
            } catch {
                actions.failed(error)
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
        if storage.fault == nil, time?.mayTrim == true { isMoreDue = sweepRows() || isMoreDue }
        guard time != nil else { return }
        let took = SteadyTime.now - began
        housekeepingTimer?.start(
            afterMilliseconds: Housekeeping.pause(after: took, isMoreDue: isSweepDue || isMoreDue))
    }

    /// Removes a few rows of each kind that goes in writes of its own, with events or documents.
    ///
    /// - Returns: whether more should go at once.
    private func sweepRows() -> Bool {
        let reports = sweep(.reports, { SweepReports(keptMilliseconds: $0) }) { transaction, kept in
            let oldest = try transaction.reports.oldest()
            return (oldest?.adding(milliseconds: kept), oldest)
        }
        let notifications = sweep(.notifications, { SweepNotifications(keptMilliseconds: $0) }) { transaction, kept in
            let oldest = try transaction.notifications.oldestTime()
            return (oldest?.adding(milliseconds: kept), oldest)
        }
        let messages = sweep(.messages, { SweepMessages(keptMilliseconds: $0) }) { transaction, kept in
            let sweep = try transaction.messages.sweep()
            return (sweep.due(keptMilliseconds: kept), sweep.oldest)
        }
        return reports || notifications || messages
    }

    /// - Parameters:
    ///   - makeSweep: makes the write, of the milliseconds for which the rows are kept.
    ///   - find: finds when the next write is due, and the time of the oldest row.
    /// - Returns: whether more should go at once.
    private func sweep(
        _ kind: RetentionKind, _ makeSweep: (Int64) -> any WriteUseCase,
        find: (Transaction, Int64) throws -> (due: Timestamp?, oldest: Timestamp?)
    ) -> Bool {
        guard let kept = step.times[kind] else { return false }
        let fact = fire(makeSweep(kept)) { [try find($0, kept).due] }
        var (removed, isMoreDue) = (0, false)
        if case .deleted(let rows, let isMore) = fact { (removed, isMoreDue) = (rows, isMore) }
        do {
            let oldest = try writer.read { try find($0, kept).oldest }
            metrics.retention.note(kind, at: clock.now(), oldest: oldest, removed: removed, kept: kept)
        } catch {
            log.error("\(kind.rawValue) could not be read", ["error": "\(error)"])
        }
        return isMoreDue
    }

    /// Removes a few of the streams that nobody needs.
    ///
    /// - Returns: whether more should be looked at at once.
    private func sweepStreams() -> Bool {
        guard storage.fault == nil else { return false }
        let outcome: Outcome?
        do {
            guard try writer.read({ try sweeping.isDue(in: $0) }) else { return false }
            outcome = actions.commit(sweeping.useCase, clock.now())
        } catch {
            log.error("streams could not be read", ["error": "\(error)"])
            outcome = nil
        }
        return sweeping.settle(outcome.flatMap { try? $0.get() })
    }
}

@available(*, unavailable)
extension TimedWork: Sendable {}
