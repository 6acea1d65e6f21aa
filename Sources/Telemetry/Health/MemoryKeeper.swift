package import EventLoop
import Model
import Synchronization

/// Decides when to give free memory back to the kernel after a burst of work.
///
/// It does so when the process has grown and there is little work, or when it has grown a lot.
///
/// - Confinement: any
struct MemoryRest {
    /// The size of the process when memory was last given back, or less.
    private var floor: Int
    private var work: Int
    private var trimmedAt: Int64

    /// - Parameters:
    ///   - resident: The size of the process in bytes.
    ///   - work: Commands, requests and deliveries so far.
    init(resident: Int, work: Int, at now: Int64) {
        floor = resident
        self.work = work
        trimmedAt = now
    }

    /// Whether to give memory back now; asked every few seconds.
    package mutating func isDue(resident: Int, work: Int, at now: Int64) -> Bool {
        let isIdle = work - self.work < Limits.idleWorkMax
        self.work = work
        floor = min(floor, resident)
        let grown = resident - floor
        return grown >= Limits.trimmedGrowthBytes && isIdle
            || grown >= Limits.trimmedGrowthBytes * 4 && now - trimmedAt >= Limits.trimPauseMilliseconds
    }

    /// Notes that memory was given back, and the size of the process afterwards.
    mutating func gaveBack(resident: Int, at now: Int64) {
        floor = resident
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
            rest.isDue(resident: before, work: metrics.work, at: loop.now)
        else { return }
        ProcessMemory.giveBack()
        let after = ProcessMemory.residentBytes ?? before
        rest.gaveBack(resident: after, at: loop.now)
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
