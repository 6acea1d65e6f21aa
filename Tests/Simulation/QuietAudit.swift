import Model
import SimulatedKernel

/// The invariants of a trimmed log: a device that has everything stays valid, and all devices get the counts of a new
/// device.
///
/// The log no longer contains everything that happened, so nothing is compared with that.
/// - Confinement: the one thread
struct QuietAudit {
    private let world: World

    init(_ world: World) { self.world = world }

    /// - Throws: ``Broken``
    func run() throws {
        try compareCounts()
        guard let retention = world.retentionMilliseconds, let writer = World.people.first else { return }
        // All devices are connected and get nothing, while others write and the log is trimmed; no device may miss
        // anything by that.
        world.ledger.mayReset = false
        let quiet = world.devices.filter { !$0.isStopped && $0.user != writer }
        let topic = "person:nobody-follows"
        for _ in 0..<4 {
            guard let key = world.ledger.makeKey() else { return }
            world.feed.add(.notice(Ledger.Notice(key.text, to: topic), key: key))
            try world.settle(milliseconds: retention / 2 + 6000)
        }
        for device in quiet { device.drop() }
        try world.settle(milliseconds: 5000)
        try world.run(until: sim_now() + 60_000) { quiet.allSatisfy { $0.isStopped || $0.isLive } }
        world.ledger.mayReset = true
        try compareCounts()
        if world.isCluster { try NodesAudit.comeTogether(world) }
        for machine in world.members {
            machine.crash(isPowerCut: Dice.once(in: 2) && !world.isCluster, isSilent: false)
            try Audit.checkDisk(of: machine, against: world.ledger)
        }
        try NodesAudit.checkEqual(world.members)
    }

    /// Checks that every device has the counts of a new one.
    private func compareCounts() throws {
        let old = world.devices.filter { !$0.isStopped }
        var auditors: [Device] = []
        for user in world.remaining { auditors.append(try world.addDevice(of: user, isComplete: false)) }
        try world.run(until: sim_now() + 60_000) { auditors.allSatisfy(\.isLive) }
        try world.settle(milliseconds: 1000)
        for auditor in auditors {
            for device in old where device.user == auditor.user && !device.isStopped {
                guard device.counts == auditor.counts else {
                    throw Broken(
                        "\(device.name) was told \(device.counts as Any), a new device \(auditor.counts as Any)")
                }
            }
            auditor.stop()
        }
    }
}
