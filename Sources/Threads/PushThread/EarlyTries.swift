import Model
import Push
import Store

/// The tries that a platform's wait had delayed, when that wait has ended early: they are due at once.
///
/// - Confinement: any
struct EarlyTries: Sendable, Equatable {
    /// Platforms that went on before their time, and that time.
    private var ends: [PushPlatform: Timestamp] = [:]

    /// A platform goes on, for which tries were delayed up to a time.
    mutating func note(_ platform: PushPlatform, until: Timestamp) {
        ends[platform] = max(until, ends[platform] ?? until)
    }

    /// Finds such tries: those of one page. The others stay for their time.
    mutating func take(
        in transaction: Transaction, at now: Timestamp, besides busy: Set<PushTryKey>
    ) throws -> [PushTryEntry] {
        guard let until = ends.values.max() else { return [] }
        defer { ends = [:] }
        let limit = PushLimits.pageDevicesMax + busy.count
        return try transaction.pushJobs.openTries(at: until, limit: limit).filter { entry in
            guard let due = entry.due, due > now, !busy.contains(PushTryKey(job: entry.job, device: entry.device)),
                let device = try transaction.pushDevices.find(entry.device),
                let end = ends[device.registration.platform]
            else { return false }
            return due <= end
        }
    }
}
