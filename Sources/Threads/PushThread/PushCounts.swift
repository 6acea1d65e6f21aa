import Model
import Push
import Store
import Telemetry

/// The figures of jobs and devices for the metrics: counting many of them takes milliseconds, so it is not done each time.
/// Times are milliseconds of the loop's clock.
///
/// - Confinement: store (the thread of pushes)
struct PushCounts {
    private let metrics: PushMetrics
    /// The open jobs, and when they were counted.
    private var pending: (count: Int64, at: Int64) = (0, 0)
    /// When the devices are counted next.
    private var devicesAt: Int64 = .min

    init(_ metrics: PushMetrics) { self.metrics = metrics }

    /// Counts what has not been counted for a while.
    mutating func renew(in transaction: Transaction, tick: Int64) throws {
        if pending.count < PushLimits.pendingCountedMax || tick - pending.at >= 1_000 {
            pending = (try transaction.pushJobs.countOpen(), tick)
            metrics.pending.set(Int(pending.count))
        }
        guard tick >= devicesAt else { return }
        devicesAt = tick + PushLimits.lookMilliseconds
        let counts = try transaction.pushDevices.counts()
        for platform in PushPlatform.allCases { metrics.setDevices(Int(counts[platform] ?? 0), of: platform) }
    }

    /// The duty of this node ends.
    func clear() { metrics.pending.set(0) }
}
