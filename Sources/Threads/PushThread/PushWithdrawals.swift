import Configuration
import EventLoop
import Model
import Push
import Store
import Telemetry

/// Takes removed entries back from the screens of devices by pushes of their own, where the next push to the device may
/// show nothing.
///
/// - Confinement: store (the thread of pushes)
final class PushWithdrawals {
    private let decider: PushDecider
    private let services: PushServices
    private let clock: WallClock
    private let loop: Loop
    /// Devices that a withdrawal is being sent to.
    private var sending: Set<Int64> = []
    /// The device after which withdrawals are looked for next.
    private var nextFrom: Int64 = 0
    /// When they are looked for next, on the loop's clock.
    private var nextAt: Int64 = .min
    /// How often the duty has ended: answers to requests of an earlier duty are not used.
    private var duties = 0
    /// Gets each result.
    var onResult: (PushSettlement) -> Void = { _ in }
    /// Called when a request has ended.
    var onEnd: () -> Void = {}

    init(_ decider: PushDecider, _ services: PushServices, _ clock: WallClock, on loop: Loop) {
        self.decider = decider
        self.services = services
        self.clock = clock
        self.loop = loop
    }

    /// The duty of this node ends.
    func forget() {
        duties += 1
        sending = []
    }

    /// Finds devices that get a push of their own now, and sends it.
    ///
    /// - Parameter settling: Devices whose last results the database does not show yet.
    /// - Returns: when the next device is due; nil when none waits.
    func find(
        in transaction: Transaction, at now: Timestamp, besides settling: Set<Int64>
    ) throws -> Timestamp? {
        // Most rows wait for the next push to their device, so looking through them must not cost much.
        guard loop.now >= nextAt else { return now.adding(milliseconds: nextAt - loop.now) }
        nextAt = loop.now + PushLimits.withdrawalLookMilliseconds
        let limit = PushLimits.pageDevicesMax
        let found = try transaction.pushJobs.devicesWithGone(after: nextFrom, limit: limit)
        // The next look goes on where this one ended.
        nextFrom = found.count < limit ? 0 : found.last ?? 0
        var next: Timestamp? =
            found.count < limit ? nil : now.adding(milliseconds: PushLimits.withdrawalLookMilliseconds)
        for id in found where !sending.contains(id) && !settling.contains(id) {
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
        let deciding = decider.deciding(in: transaction, at: now)
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
        sending.insert(device.id)
        let order = PushOrder(device: device, content: content, number: 1, variant: .usual)
        services.send(order) { [unowned self, duties] result in
            guard duties == self.duties else { return }
            sending.remove(device.id)
            withdrawn(gone, from: device, result)
        }
    }

    /// Whether it worked or not, the device gets no other push of its own for a while.
    private func withdrawn(_ gone: PushGoneRows, from device: PushDeviceEntry, _ result: PushEnd) {
        switch result {
        case .judged(let verdict, let tags, _):
            let now = clock.now()
            let changes = verdict.changes(of: device, at: now)
            if verdict.outcome == .sent {
                note(gone.rows(namedBy: tags), of: device, at: now, changes)
            } else if case .removed = verdict.device {
                var settlement = PushSettlement()
                settlement.devices = changes
                onResult(settlement)
            } else {
                note([], of: device, at: now)
            }
        case .unsendable: note(gone.rows.map(\.id), of: device, at: nil)
        case .postponed: return
        }
        onEnd()
    }

    private func note(
        _ rows: [Int64], of device: PushDeviceEntry, at time: Timestamp?,
        _ changes: [PushSettlement.DeviceChange] = []
    ) {
        var settlement = PushSettlement()
        settlement.told = [PushSettlement.Told(device: device.id, rows: rows, withdrawalAt: time)]
        settlement.devices = changes
        onResult(settlement)
    }
}

@available(*, unavailable)
extension PushWithdrawals: Sendable {}

extension PushDeviceEntry {
    /// When a push of its own may take something back from the device: after a moment, in which more may be removed, and
    /// at most twice an hour.
    func withdrawalDue(oldest: Timestamp) -> Timestamp {
        let collected = oldest.adding(milliseconds: PushLimits.withdrawalDelayMilliseconds)
        return withdrawn.map { max(collected, $0.adding(milliseconds: PushLimits.withdrawalPauseMilliseconds)) }
            ?? collected
    }
}
