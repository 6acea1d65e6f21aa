import EventLoop
import Execution
import Model
import Privacy
import Services
import Store
import Synchronization
import Telemetry
import ThreadMessages

/// Erases people, slice by slice, between the writes of others. The leading node does it for all.
///
/// - Confinement: store
final class ErasureDuty {
    private let writer: Writer
    private let metrics: Metrics
    private let storage: StorageHealth
    private let log: ServerLog
    /// The thread that indexes messages; nil on a server without search.
    private let search: Mailbox<SearchMessage>?
    private let traces: ErasureTraces
    private let commit: (_ useCase: any WriteUseCase) -> Outcome?
    private var timer: LoopTimer?
    /// The phase of the erasure at work, and since when, in milliseconds of ``SteadyTime``.
    private var phase: (erasure: Int64, number: Int64, since: Int64)?
    private var isOn = false

    /// - Parameter commit: commits a write of the server's own; nil when that failed.
    init(
        _ writer: Writer, _ metrics: Metrics, _ storage: StorageHealth, _ log: ServerLog,
        search: Mailbox<SearchMessage>?, _ traces: ErasureTraces, on loop: Loop,
        commit: @escaping (_ useCase: any WriteUseCase) -> Outcome?
    ) {
        self.writer = writer
        self.metrics = metrics
        self.storage = storage
        self.log = log
        self.search = search
        self.traces = traces
        self.commit = commit
        timer = LoopTimer(on: loop) { [unowned self] in work() }
    }

    /// The work is this node's from now on.
    func begin() {
        isOn = true
        timer?.start(afterMilliseconds: Self.retryMilliseconds)
    }

    /// An erasure was committed. Between two erasures the duty looks at nothing: the table has no index by what is at work.
    func wake() {
        guard isOn else { return }
        timer?.start(afterMilliseconds: ErasureLimits.pauseMilliseconds)
    }

    /// Another node does the work from now on.
    func end() {
        isOn = false
        phase = nil
        timer?.stop()
    }

    func close() {
        timer?.close()
        timer = nil
    }

    /// Milliseconds until the first look, and until the next try after a failure.
    private static let retryMilliseconds: Int64 = 500
    private static let waitMilliseconds: Int64 = 250

    private func work() {
        let began = SteadyTime.now
        var pause: Int64? = Self.retryMilliseconds
        if storage.fault == nil {
            do {
                pause = try step(at: began)
            } catch {
                log.error("an erasure cannot go on", ["error": "\(error)"])
            }
        }
        guard isOn, let pause else { return }
        timer?.start(afterMilliseconds: pause)
    }

    /// - Returns: the milliseconds until the next step; nil when there is nothing to do.
    private func step(at began: Int64) throws -> Int64? {
        let running = try writer.read { transaction in
            try transaction.erasures.running().map { ($0, try transaction.erasures.countRunning()) }
        }
        metrics.erasuresRunning.set(Int(running?.1 ?? 0))
        guard let entry = running?.0 else {
            phase = nil
            return nil
        }
        let since = since(entry, at: began)
        switch ErasurePhase(rawValue: entry.phase) {
        case .past where !isIndexed(since: since, at: began): return Self.waitMilliseconds
        case .files:
            guard traces.areCleared, isMerged(since: since, at: began) else { return Self.waitMilliseconds }
            guard case .success? = commit(FinishErasure(entry.id)) else { return Self.retryMilliseconds }
            log.info("erased a person", ["erasure": "x\(entry.id)", "rows": entry.counts])
            return ErasureLimits.pauseMilliseconds
        default:
            guard case .success? = commit(EraseSlice()) else { return Self.retryMilliseconds }
            metrics.erasureSlices.add(1)
            let took = SteadyTime.now - began
            return max(ErasureLimits.pauseMilliseconds, took * ErasureLimits.pauseFactor)
        }
    }

    private func since(_ entry: ErasureEntry, at now: Int64) -> Int64 {
        if let phase, phase.erasure == entry.id, phase.number == entry.phase { return phase.since }
        phase = (entry.id, entry.phase, now)
        if entry.phase == ErasurePhase.files.rawValue { traces.clear() }
        return now
    }

    /// Whether the index knows of the deletions: the earlier texts may go.
    private func isIndexed(since: Int64, at now: Int64) -> Bool {
        guard search != nil else { return true }
        let waited = now - since
        return waited > ErasureLimits.indexMilliseconds
            || waited > 2 * SearchLimits.pauseMilliseconds + 1000 && metrics.searchLag.now == 0
    }

    /// Whether the index has no word of a removed text in its pages.
    private func isMerged(since: Int64, at now: Int64) -> Bool {
        guard search != nil else { return true }
        let waited = now - since
        return waited > ErasureLimits.mergeMilliseconds
            || waited > 2 * SearchLimits.pauseMilliseconds + 500
                && !metrics.awaitsSearchMerge.load(ordering: .relaxed)
    }
}

@available(*, unavailable)
extension ErasureDuty: Sendable {}
