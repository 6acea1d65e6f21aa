import Configuration
import EventLoop
import ThreadMessages
import Model
import Push
import Store
import Telemetry

extension PushSender {
    /// Looks for work in one snapshot, and begins it.
    ///
    /// - Returns: when to look again, on the loop's clock; nil when only answers and commits bring more.
    func find() throws -> Int64? {
        let present = now
        return try reader.read { transaction in
            try ledger.settle { try $0.isShown(in: transaction) }
            try count(in: transaction)
            try findPersonal(in: transaction, at: present)
            let shared = try findShared(in: transaction, at: present)
            try findTries(in: transaction, at: present)
            let withdrawals = try findWithdrawals(in: transaction, at: present)
            let due = try [
                transaction.pushJobs.nextDue(after: present), transaction.pushJobs.nextTryDue(after: present),
                withdrawals,
            ].compactMap { $0 }.min()
            let dueAt = due.map { loop.now + max(1, $0.milliseconds - present.milliseconds) }
            return [dueAt, shared].compactMap { $0 }.min()
        }
    }

    private func count(in transaction: Transaction) throws {
        let metrics = surroundings.metrics.push
        // Counting many jobs or devices takes milliseconds.
        if pending.count < PushLimits.pendingCountedMax || loop.now - pending.at >= 1_000 {
            pending = (try transaction.pushJobs.countOpen(), loop.now)
            metrics.pending.set(Int(pending.count))
        }
        guard loop.now >= countsAt else { return }
        countsAt = loop.now + PushLimits.lookMilliseconds
        let counts = try transaction.pushDevices.counts()
        for platform in PushPlatform.allCases { metrics.setDevices(Int(counts[platform] ?? 0), of: platform) }
    }

    /// Jobs whose page is being sent or whose result the database does not show yet.
    private var busyJobs: Set<Int64> { ledger.jobs.union(errands.values.compactMap { $0.page?.job.id }) }

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
            ledger.add(Self.withdrawal(page, found.devices))
            return found.devices.count
        }
        let hold = job.at.adding(milliseconds: configuration.holdMilliseconds(of: job.level))
        begin(PushErrand(page, found.devices, holdUntil: hold))
        return found.devices.count
    }

    /// A notification of a topic is taken back: each device gets a row that says so.
    private static func withdrawal(_ page: PushErrand.Page, _ devices: [PushDeviceEntry]) -> PushSettlement {
        var progress = PushSettlement.Progress(page.job, to: page.upTo, isEnded: page.isLast)
        progress.gone = devices.map(\.id)
        var settlement = PushSettlement()
        settlement.progress = [progress]
        return settlement
    }

    /// Tries that are due again, all of one moment as one errand.
    private func findTries(in transaction: Transaction, at now: Timestamp) throws {
        guard room > 0 else { return }
        var busy = ledger.tries
        for errand in errands.values where errand.page == nil { busy.formUnion(errand.keys) }
        let limit = PushLimits.pageDevicesMax
        let due = try transaction.pushJobs.openTries(at: now, limit: limit + busy.count)
            .filter { !busy.contains(PushTryKey(job: $0.job, device: $0.device)) }.prefix(limit)
        let all = try due + earlyTries(in: transaction, at: now, besides: busy)
        guard !all.isEmpty else { return }
        begin(try errand(of: all, in: transaction))
    }

    /// The tries that a platform's wait had delayed, when that wait has ended early: those of one page. The others stay for
    /// their time.
    private func earlyTries(
        in transaction: Transaction, at now: Timestamp, besides busy: Set<PushTryKey>
    ) throws -> [PushTryEntry] {
        guard let until = early.values.max() else { return [] }
        defer { early = [:] }
        let limit = PushLimits.pageDevicesMax + busy.count
        return try transaction.pushJobs.openTries(at: until, limit: limit).filter { entry in
            guard let due = entry.due, due > now, !busy.contains(PushTryKey(job: entry.job, device: entry.device)),
                let device = try transaction.pushDevices.find(entry.device),
                let end = early[device.registration.platform]
            else { return false }
            return due <= end
        }
    }

    private func errand(of due: some Collection<PushTryEntry>, in transaction: Transaction) throws -> PushErrand {
        var jobs: [Int64: PushJobEntry] = [:]
        var aims: [PushAim] = []
        for entry in due {
            let job = try jobs[entry.job] ?? transaction.pushJobs.job(entry.job)
            guard let job, let device = try transaction.pushDevices.find(entry.device) else { continue }
            jobs[job.id] = job
            aims.append(
                PushAim(
                    job: job, device: device, number: Int(entry.attempts) + 1,
                    variant: entry.variant.flatMap(PushVariant.init) ?? .usual))
        }
        return PushErrand(tries: aims)
    }
}
