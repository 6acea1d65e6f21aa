import EventLoop
import Execution
import Model
import PersonalData
import Store
import Synchronization
import Telemetry
import ThreadMessages

/// The part of an erasure that each node does for itself: the ledger beside its database, and its files in the end.
///
/// - Confinement: store
final class ErasureTraces {
    /// How far the files are.
    private enum Stage: Equatable {
        case cleared
        /// Pages of the database's file from this one on may have bytes of removed rows.
        case clearing(page: Int64)
        /// The log has earlier pages.
        case emptying
    }

    private let writer: Writer
    private let ledger: ErasureLedger?
    /// The thread that indexes messages; nil on a server without search.
    private let search: Mailbox<SearchMessage>?
    private let metrics: Metrics
    private let log: ServerLog
    private var timer: LoopTimer?
    private var stage = Stage.cleared
    private var isLedgerLate = false
    /// When databases that were put aside are looked at again, by the steady clock.
    private var lookAt: Int64 = 0

    init(
        _ writer: Writer, _ ledger: ErasureLedger?, search: Mailbox<SearchMessage>?, _ metrics: Metrics,
        _ log: ServerLog, on loop: Loop
    ) {
        self.writer = writer
        self.ledger = ledger
        self.search = search
        self.metrics = metrics
        self.log = log
        timer = LoopTimer(on: loop) { [unowned self] in work() }
    }

    func close() {
        timer?.close()
        timer = nil
    }

    // MARK: The ledger

    /// A commit has an erasure, or an invitation.
    ///
    /// - Returns: whether the ledger has it, flushed.
    func note() -> Bool {
        do {
            try writer.read { try ledger?.settle(with: $0) }
            isLedgerLate = false
            return true
        } catch {
            isLedgerLate = true
            log.error("the ledger of erasures cannot be written", ["error": "\(error)"])
            return false
        }
    }

    /// This node leads: erases again those whom the ledger names and the database does not, since it is an older copy.
    ///
    /// - Parameter commit: returns false when nothing more can be committed: the next time that the node leads, it goes on.
    func eraseAgain(_ commit: (any WriteUseCase) -> Bool) throws {
        try ledger?.eraseAgain(reading: writer) { useCase in
            log.warning("the database is older than an erasure, which is done again", isChange: true)
            return commit(useCase)
        }
    }

    /// To be called about once a second.
    func look(at now: Timestamp) {
        if isLedgerLate { _ = note() }
        guard SteadyTime.now >= lookAt else { return }
        lookAt = SteadyTime.now + ErasureLimits.divergedLookMilliseconds
        removePutAside(before: now.milliseconds - ErasureLimits.divergedMilliseconds)
    }

    /// Removes databases that were put aside: all of them when somebody is erased, and old ones.
    private func removePutAside(before time: Int64? = nil) {
        do {
            let count = try writer.removePutAside(before: time)
            guard count > 0 else { return }
            log.warning("removed databases that were put aside", ["files": "\(count)"], isChange: true)
        } catch {
            log.error("databases that were put aside cannot be removed", ["error": "\(error)"])
        }
    }

    // MARK: The files

    /// Whether the bytes of all that was removed before the last ``clear()`` are gone from the files. The search clears the
    /// file of its index by itself.
    var areCleared: Bool { stage == .cleared }

    /// Begins to clear the files of what was removed, between the writes of others.
    func clear() {
        removePutAside()
        go(on: .clearing(page: 0))
        guard let search else { return }
        metrics.awaitsSearchMerge.store(true, ordering: .relaxed)
        search.post(.merge)
    }

    /// An erasure has ended. On the node that did it the file is clear already, but its last write removed the name.
    func end() {
        guard areCleared else { return clear() }
        removePutAside()
        go(on: .emptying)
    }

    /// The process has started: the one before it may have ended before its files were clear, and before it had completed
    /// the ledger.
    func begin(at now: Timestamp) {
        _ = note()
        do {
            let since = now.milliseconds - ErasureLimits.clearedAgainMilliseconds
            let ended = try writer.read { try $0.erasures.all() }.compactMap(\.finished?.milliseconds)
            if ended.contains(where: { $0 > since }) { clear() }
        } catch {
            log.error("the erasures cannot be read", ["error": "\(error)"])
        }
    }

    private func go(on stage: Stage) {
        self.stage = stage
        timer?.start(afterMilliseconds: ErasureLimits.pauseMilliseconds)
    }

    /// Milliseconds until the next try while a reader needs the log, and after a failure.
    private static let waitMilliseconds: Int64 = 250
    private static let retryMilliseconds: Int64 = 5000

    private func work() {
        do {
            switch stage {
            case .cleared: return
            case .clearing(let page):
                let (next, cleared) = try writer.clearUnusedBytes(from: page, pages: ErasureLimits.pages)
                metrics.erasurePages.add(cleared)
                go(on: next.map { .clearing(page: $0) } ?? .emptying)
            case .emptying:
                guard try writer.emptyLog() else {
                    timer?.start(afterMilliseconds: Self.waitMilliseconds)
                    return
                }
                stage = .cleared
            }
        } catch {
            log.error("the files cannot be cleared of what was erased", ["error": "\(error)"])
            timer?.start(afterMilliseconds: Self.retryMilliseconds)
        }
    }
}

@available(*, unavailable)
extension ErasureTraces: Sendable {}
