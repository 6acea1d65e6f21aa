import Model
import SimulatedKernel

/// The faults: of the machine, its disk, its clock, and the network.
extension Workload {
    /// Causes a fault.
    func fail() throws {
        if world.isCluster { return try world.failNodes() }
        switch Dice.below(15) {
        case 0: if world.machine.isRunning { try world.crash(isPowerCut: false, isSilent: Dice.once(in: 4)) }
        case 1: if world.machine.isRunning { try world.crash(isPowerCut: true, isSilent: Dice.once(in: 2)) }
        case 2, 3: sim_disk_die(Int32(Dice.below(12)))
        case 4: world.machine.beginStopping()
        case 5: sim_disk_fail(Int32(Dice.below(12)), Int32(1 + Dice.below(6)), Int32(Dice.below(2)))
        case 13: failTwice(afterUpTo: 12)
        case 14: try runWithOtherClock()
        case 6: world.jumpWall(byMilliseconds: Int64(Dice.below(7_200_000)) - 3_600_000)
        case 7: sim_fail_accepts(Int32(1 + Dice.below(4)))
        case 8: sim_advance(Int64(Dice.below(8000)))
        case 9, 10: sim_freeze_connection(Int32(1 + Dice.below(3)), Int64(Dice.below(40_000)))
        default: sim_reset_connection()
        }
    }

    /// Two faults in a row: at a commit, and at the reads by which the server finds out its result.
    private func failTwice(afterUpTo operations: Int) {
        sim_disk_fail(Int32(Dice.below(operations)), Int32(1 + Dice.below(3)), Int32(Dice.below(2)))
        sim_disk_fail_reads(Int32(1 + Dice.below(4)))
        world.hadReadFaults = true
    }

    /// Puts a trigger; on a server that is alone, while the disk fails twice. A document follows that fires the trigger if it
    /// exists, and must not if it does not. Of a cluster any node may lead when the next documents come.
    func tryTrigger() throws {
        guard world.isCluster || world.feed.isIdle, let key = world.ledger.makeKey() else { return }
        let trial = Ledger.Trial("trial-" + key.text)
        world.ledger.trials.append(trial)
        world.feed.add(.trial(trial))
        document()
        if !world.isCluster { failTwice(afterUpTo: 4) }
    }

    /// Three runs of the server in a row: with a clock that is wrong by many days, and twice with the right one.
    ///
    /// The error is longer than the log is kept. In runs that check everything at the end, it is also shorter than
    /// notifications live, and never ahead: a server that believes such a clock does forget.
    func runWithOtherClock() throws {
        // A database that never ran with the right clock cannot know better.
        guard world.ledger.writes.contains(where: { $0.reply != nil }) else { return }
        let days: Int64 = world.retentionMilliseconds == nil ? -20 : Dice.once(in: 3) ? 40 : -40
        for jump in [days, -days, 0] {
            if world.machine.isRunning { try world.crash(isPowerCut: Dice.once(in: 2), isSilent: false) }
            try Audit.checkDisk(of: world.machine, against: world.ledger)
            world.jumpWall(byMilliseconds: jump * 86_400_000)
            for _ in 0..<4 {
                try act()
                // The log gets at most one mark each second.
                try world.settle(milliseconds: 1500)
            }
        }
    }
}
