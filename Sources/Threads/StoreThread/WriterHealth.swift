import EventLoop
import Model
import Store
import Synchronization
import Telemetry

/// Whether the writer can write, and what it does until it can again.
///
/// A failed commit is no reason to end the process. SQLite rolls back, and the next commit writes in the place of what
/// could not be flushed: its pages are dirty again, so that a successful fsync after it means what it says, and nothing
/// that was acknowledged before is touched. Only a process that starts must not believe the log that it finds; see
/// `LeftLog`. Until a try succeeds, writes are refused without touching the disk.
///
/// - Confinement: store
final class WriterHealth {
    private let writer: Writer
    private let storage: StorageHealth
    private let metrics: Metrics
    private let log: ServerLog
    private let damageCheck: DamageCheck
    /// Called when the database can be written again.
    var recovered: () -> Void = {}
    /// Called when a check has found that the database is damaged, with a sentence about it.
    var damaged: (String) -> Void = { _ in }
    /// Tries to write while that fails.
    private var timer: LoopTimer?

    /// Tries to write: a server that starts on a full disk serves what it has, and knows that it cannot write.
    init(
        _ writer: Writer, _ storage: StorageHealth, _ metrics: Metrics, _ log: ServerLog, _ damageCheck: DamageCheck,
        on loop: Loop
    ) {
        self.writer = writer
        self.storage = storage
        self.metrics = metrics
        self.log = log
        self.damageCheck = damageCheck
        timer = LoopTimer(on: loop) { [unowned self] in goOnTrying() }
        do {
            try writer.probe()
        } catch {
            failed(error)
        }
    }

    /// A commit failed, or a read of the writer: says so, once for each kind of fault, and tries to write until that
    /// succeeds.
    ///
    /// - Parameter commands: that were in the commit.
    func failed(_ error: any Error, commands: Int = 0) {
        note(error, commands: commands)
        // A fault of a moment is over before any client has repeated its write.
        timer?.start(afterMilliseconds: 50, repeatingMilliseconds: Limits.probeMilliseconds)
    }

    private func note(_ error: any Error, commands: Int) {
        let fault = writer.fault(of: error)
        log.error("commit failed", ["error": "\(error)", "commands": "\(commands)"])
        metrics.commitFailures.add(1)
        if storage.fault != fault { logRefusing(fault) }
        set(fault)
        if fault == .unreadable { damageCheck.begin() }
    }

    /// From now on writes are refused; ``triesToWrite()`` logs when they are accepted again.
    private func logRefusing(_ fault: StorageFault) {
        log.error(
            "writes are refused", ["reason": fault.reason, "mayPass": "\(fault.mayPass)"], isChange: true)
    }

    private func set(_ fault: StorageFault?) {
        storage.set(fault)
        metrics.storageFailing.set(fault == nil ? 0 : 1)
    }

    /// The check of the database is over: a database that is damaged is not written to any more.
    func take(_ finding: DatabaseCheck.Finding) {
        guard damageCheck.isDamage(finding) else { return }
        logRefusing(.damaged)
        set(.damaged)
        if case .damaged(let table, let problem) = finding { damaged("its file is damaged, in \(table): \(problem)") }
    }

    private func goOnTrying() {
        if triesToWrite() { timer?.stop() }
    }

    /// Tries to write after a failure.
    ///
    /// - Returns: true when there is nothing more to try: it succeeded, or no try can.
    private func triesToWrite() -> Bool {
        guard let fault = storage.fault, fault.mayPass else { return true }
        do {
            try storage.duringCommit { try writer.probe() }
        } catch {
            note(error, commands: 0)
            return false
        }
        set(nil)
        log.info(
            "writes are accepted again",
            ["refused": "\(metrics.writesRefused.now)", "after": fault.reason])
        recovered()
        return storage.fault == nil
    }

    /// The thread ends.
    func close() {
        timer?.close()
        timer = nil
    }
}

@available(*, unavailable)
extension WriterHealth: Sendable {}
