import Model
import Push
import Store
import ThreadMessages

/// Results that the database does not show yet. Nothing is sent again for the jobs, tries and devices that they are
/// about. A pure value: the time, in milliseconds of a monotonic clock, is a parameter.
///
/// - Confinement: any
struct PushLedger: Sendable {
    private var unsettled: [PushSettlement] = []
    private var handOver = HandOver<PushSettlement>()
    private(set) var jobs: Set<Int64> = []
    private(set) var tries: Set<PushTryKey> = []
    /// Devices with rows of removed entries that are over.
    private(set) var devices: Set<Int64> = []

    var count: Int { unsettled.count }
    var isEmpty: Bool { unsettled.isEmpty }

    mutating func add(_ settlement: PushSettlement) {
        unsettled.append(settlement)
        handOver.add(settlement)
        hold(settlement)
    }

    /// Forgets the results that the database shows now, and those that it will never show, because somebody has changed
    /// the row meanwhile.
    mutating func settle(isShown: (PushSettlement) throws -> Bool) rethrows {
        let before = unsettled.count
        unsettled = try unsettled.filter { try !isShown($0) }
        guard unsettled.count != before else { return }
        (jobs, tries, devices) = ([], [], [])
        for settlement in unsettled { hold(settlement) }
    }

    /// The results to hand to the writer.
    mutating func due(at now: Int64, repeatMilliseconds: Int64) -> [PushSettlement] {
        handOver.due(of: unsettled, at: now, repeatMilliseconds: repeatMilliseconds)
    }

    private mutating func hold(_ settlement: PushSettlement) {
        jobs.formUnion(settlement.progress.map(\.job))
        tries.formUnion(settlement.tries.map { PushTryKey(job: $0.job, device: $0.device) })
        devices.formUnion(settlement.told.map(\.device))
    }
}

extension PushSettlement {
    /// Several settlements as one write.
    init(joining settlements: [PushSettlement]) {
        self.init()
        for one in settlements {
            progress += one.progress
            tries += one.tries
            devices += one.devices
            told += one.told
        }
    }

    /// Whether the database shows it, or never will.
    func isShown(in transaction: Transaction) throws -> Bool {
        let jobs = transaction.pushJobs
        for step in progress {
            guard let job = try jobs.job(step.job), job.state != .ended else { continue }
            if job.cursor == step.from, job.position == step.position { return false }
        }
        if progress.isEmpty {
            for result in tries {
                guard let known = try jobs.find(job: result.job, device: result.device) else { continue }
                if known.state == .open, known.attempts < result.number { return false }
            }
        }
        for rows in told where progress.isEmpty && tries.isEmpty {
            guard let device = try transaction.pushDevices.find(rows.device) else { continue }
            if let time = rows.withdrawalAt, device.withdrawn.map({ $0 < time }) ?? true { return false }
            let open = try jobs.gone(ofDevice: rows.device).map(\.id)
            if rows.rows.contains(where: open.contains) { return false }
        }
        return true
    }
}
