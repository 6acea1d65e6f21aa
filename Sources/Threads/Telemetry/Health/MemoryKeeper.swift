package import EventLoop
import Model
import Synchronization

/// Decides when to give free memory back to the kernel after a burst of work.
///
/// It does so when the process has grown and there is little work, or when it has grown a lot. If most of it was still in use
/// then, it does so once more when that has been freed.
///
/// - Confinement: any
struct MemoryRest {
    /// The size of the process when memory was last given back, or less.
    private var floor: Int
    /// The smallest size of the process.
    private var smallest: Int
    /// Bytes in use when memory was last given back; nil before the first time.
    private var used: Int?
    private var work: Int
    private var trimmedAt: Int64

    /// - Parameters:
    ///   - resident: The size of the process in bytes.
    ///   - work: Commands, requests and deliveries so far.
    init(resident: Int, work: Int, at now: Int64) {
        floor = resident
        smallest = resident
        self.work = work
        trimmedAt = now
    }

    /// Whether to give memory back now; asked every few seconds.
    ///
    /// - Parameter used: Bytes in use. Counting them takes time, so it is asked for only when the answer matters.
    mutating func isDue(resident: Int, used: () -> Int, work: Int, at now: Int64) -> Bool {
        let isIdle = work - self.work < Limits.idleWorkMax
        self.work = work
        floor = min(floor, resident)
        smallest = min(smallest, resident)
        let grown = resident - floor
        if grown >= Limits.trimmedGrowthBytes * 4, now - trimmedAt >= Limits.trimPauseMilliseconds { return true }
        guard isIdle else { return false }
        if grown >= Limits.trimmedGrowthBytes { return true }
        guard let before = self.used, resident - smallest >= Limits.trimmedGrowthBytes else { return false }
        return before - used() >= Limits.trimmedGrowthBytes
    }

    /// Notes that memory was given back, and the size of the process and the bytes in use afterwards.
    mutating func gaveBack(resident: Int, used: Int, at now: Int64) {
        floor = resident
        self.used = used
        trimmedAt = now
    }
}

/// Gives memory back, on a thread that has time for it.
///
/// - Confinement: loop
package final class MemoryKeeper {
    private let metrics: Metrics
    private let log: ServerLog
    private let loop: Loop
    private var rest: MemoryRest
    private var timer: LoopTimer?

    package init(metrics: Metrics, log: ServerLog, on loop: Loop) {
        self.metrics = metrics
        self.log = log
        self.loop = loop
        rest = MemoryRest(resident: ProcessMemory.residentBytes ?? 0, work: metrics.work, at: loop.now)
        let timer = LoopTimer(on: loop) { [unowned self] in look() }
        let pause = Limits.memoryLookMilliseconds
        timer.start(afterMilliseconds: pause, repeatingMilliseconds: pause)
        self.timer = timer
    }

    private func look() {
        guard let before = ProcessMemory.residentBytes,
            rest.isDue(resident: before, used: { ProcessMemory.arenaBytes }, work: metrics.work, at: loop.now)
        else { return }
        ProcessMemory.giveBack()
        let after = ProcessMemory.residentBytes ?? before
        rest.gaveBack(resident: after, used: ProcessMemory.arenaBytes, at: loop.now)
        log.debug("returned memory to the system", ["before": "\(before)", "after": "\(after)"])
    }

    /// Stops the checks.
    package func close() {
        timer?.close()
        timer = nil
    }
}

@available(*, unavailable)
extension MemoryKeeper: Sendable {}

extension Metrics {
    /// Commands, requests and deliveries so far.
    fileprivate var work: Int {
        commands.now + requests.now + deliveries.now
    }
}
