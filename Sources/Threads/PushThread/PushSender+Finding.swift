import Configuration
import EventLoop
import Model
import Push
import Store
import Telemetry
import ThreadMessages

extension PushSender {
    /// Looks for work in one snapshot, and begins it.
    ///
    /// - Returns: when to look again, on the loop's clock; nil when only answers and commits bring more.
    func find() throws -> Int64? {
        let present = now
        return try reader.read { transaction in
            try ledger.settle { try $0.isShown(in: transaction) }
            try counts.renew(in: transaction, tick: loop.now)
            try findPersonal(in: transaction, at: present)
            let shared = try findShared(in: transaction, at: present)
            try findTries(in: transaction, at: present)
            let withdrawals = try withdrawals.find(in: transaction, at: present, besides: ledger.devices)
            let due = try [
                transaction.pushJobs.nextDue(after: present), transaction.pushJobs.nextTryDue(after: present),
                withdrawals,
            ].compactMap { $0 }.min()
            let dueAt = due.map { loop.now + max(1, $0.milliseconds - present.milliseconds) }
            return [dueAt, shared].compactMap { $0 }.min()
        }
    }

    /// Jobs whose page is being sent or whose result the database does not show yet.
    private var busyJobs: Set<Int64> { ledger.jobs.union(errands.jobs) }

    /// Room for further work: results are bounded, too, so that a disk that is full stops the sender.
    private var room: Int { max(0, PushLimits.errandsMax - errands.count - ledger.count) }

    private func findPersonal(in transaction: Transaction, at now: Timestamp) throws {
        var (room, last): (Int, PushJobEntry?) = (self.room, nil)
        let busy = busyJobs
        while room > 0 {
            let limit = PushLimits.pageDevicesMax
            let jobs = try transaction.pushJobs.open(isShared: false, at: now, after: last, limit: limit)
            for job in jobs where !busy.contains(job.id) && room > 0 {
                try beginPage(of: job, in: transaction)
                room -= 1
            }
            last = jobs.last
            if jobs.count < limit { return }
        }
    }

    /// One page of one topic at a time, at the pace of the setting `push-rate`.
    ///
    /// - Returns: when the next page may begin, if a job waits for it.
    private func findShared(in transaction: Transaction, at now: Timestamp) throws -> Int64? {
        let busy = busyJobs
        let jobs = try transaction.pushJobs.open(isShared: true, at: now, limit: busy.count + 1)
        guard let job = jobs.first(where: { !busy.contains($0.id) }), room > 0 else { return nil }
        guard loop.now >= sharedFrom else { return sharedFrom }
        let count = try beginPage(of: job, in: transaction)
        sharedFrom = loop.now + Int64(count * 1_000 / max(1, configuration.rate))
        return jobs.count > 1 ? sharedFrom : nil
    }

    /// - Returns: the devices of the page.
    @discardableResult
    private func beginPage(of job: PushJobEntry, in transaction: Transaction) throws -> Int {
        let found = try transaction.pushJobs.nextPage(of: job)
        let page = PushErrand.Page(job: job, upTo: found.upTo, isLast: found.isLast)
        guard job.kind != .withdrawal else {
            ledger.add(PushSettlement(withdrawing: page, from: found.devices))
            return found.devices.count
        }
        let hold = job.at.adding(milliseconds: configuration.holdMilliseconds(of: job.level))
        begin(PushErrand(page, found.devices, holdUntil: hold))
        return found.devices.count
    }

    /// Tries that are due again, all of one moment as one errand.
    private func findTries(in transaction: Transaction, at now: Timestamp) throws {
        guard room > 0 else { return }
        let busy = ledger.tries.union(errands.tries)
        let limit = PushLimits.pageDevicesMax
        let due = try transaction.pushJobs.openTries(at: now, limit: limit + busy.count)
            .filter { !busy.contains(PushTryKey(job: $0.job, device: $0.device)) }.prefix(limit)
        let all = try due + early.take(in: transaction, at: now, besides: busy)
        guard !all.isEmpty else { return }
        begin(try PushErrand(due: all, in: transaction))
    }
}
