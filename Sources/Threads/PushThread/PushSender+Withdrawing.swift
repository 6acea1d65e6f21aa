import Configuration
import EventLoop
import Model
import Push
import Store
import Telemetry

// Entries that were removed are taken back from the screens of devices: by the next push to the device, or, where a push
// may show nothing, by a push of their own.
extension PushSender {
    /// Finds devices that get a push of their own now, and sends it.
    ///
    /// - Returns: when the next device is due; nil when none waits.
    func findWithdrawals(in transaction: Transaction, at now: Timestamp) throws -> Timestamp? {
        // Most rows wait for the next push to their device, so looking through them must not cost much.
        guard loop.now >= withdrawalsAt else { return now.adding(milliseconds: withdrawalsAt - loop.now) }
        withdrawalsAt = loop.now + PushLimits.withdrawalLookMilliseconds
        let limit = PushLimits.pageDevicesMax
        let found = try transaction.pushJobs.devicesWithGone(after: withdrawalsFrom, limit: limit)
        // The next look goes on where this one ended.
        withdrawalsFrom = found.count < limit ? 0 : found.last ?? 0
        var next: Timestamp? =
            found.count < limit ? nil : now.adding(milliseconds: PushLimits.withdrawalLookMilliseconds)
        for id in found where !withdrawing.contains(id) && !ledger.devices.contains(id) {
            guard let device = try transaction.pushDevices.find(id), device.registration.platform != .webpush else {
                continue
            }
            let rows = try transaction.pushJobs.gone(ofDevice: id)
            guard let oldest = rows.map(\.at).min() else { continue }
            let due = device.withdrawalDue(oldest: oldest)
            guard due <= now else {
                next = min(next ?? due, due)
                continue
            }
            try withdraw(rows, from: device, in: transaction, at: now)
        }
        return next
    }

    private func withdraw(
        _ rows: [PushGoneEntry], from device: PushDeviceEntry, in transaction: Transaction, at now: Timestamp
    ) throws {
        let deciding = deciding(in: transaction, at: now)
        let gone = PushGoneRows(
            try rows.map { PushGoneRows.Row(id: $0.id, tag: try deciding.tag(of: $0.subject)) })
        guard let user = try transaction.users.find(device.user) else { return }
        guard !gone.tags.isEmpty else {
            return note(gone.rows(namedBy: []), of: device, at: nil)
        }
        guard services.room(for: device, .usual) == .free else { return }
        let ends = now.adding(milliseconds: PushLimits.withdrawalMilliseconds)
        let material = try deciding.withdrawal(for: user, at: now, ends: ends)
        let content = material.content(for: device, gone: gone.tags, open: nil)
        withdrawing.insert(device.id)
        let order = PushOrder(device: device, content: content, number: 1, variant: .usual)
        services.send(order) { [unowned self, duties] result in
            guard duties == self.duties else { return }
            withdrawing.remove(device.id)
            withdrawn(gone, from: device, result)
        }
    }

    /// Whether it worked or not, the device gets no other push of its own for a while.
    private func withdrawn(_ gone: PushGoneRows, from device: PushDeviceEntry, _ result: PushEnd) {
        switch result {
        case .judged(let verdict, let tags, _):
            let changes = verdict.changes(of: device, at: now)
            if verdict.outcome == .sent {
                note(gone.rows(namedBy: tags), of: device, at: now, changes)
            } else if case .removed = verdict.device {
                var settlement = PushSettlement()
                settlement.devices = changes
                ledger.add(settlement)
            } else {
                note([], of: device, at: now)
            }
        case .unsendable: note(gone.rows.map(\.id), of: device, at: nil)
        case .postponed: return
        }
        lookSoon()
        pumpSoon()
    }

    private func note(
        _ rows: [Int64], of device: PushDeviceEntry, at time: Timestamp?,
        _ changes: [PushSettlement.DeviceChange] = []
    ) {
        var settlement = PushSettlement()
        settlement.told = [PushSettlement.Told(device: device.id, rows: rows, withdrawalAt: time)]
        settlement.devices = changes
        ledger.add(settlement)
    }
}

extension PushDeviceEntry {
    /// When a push of its own may take something back from the device: after a moment, in which more may be removed, and
    /// at most twice an hour.
    func withdrawalDue(oldest: Timestamp) -> Timestamp {
        let collected = oldest.adding(milliseconds: PushLimits.withdrawalDelayMilliseconds)
        return withdrawn.map { max(collected, $0.adding(milliseconds: PushLimits.withdrawalPauseMilliseconds)) }
            ?? collected
    }
}
