import SimulatedKernel

/// The faults of a cluster: of its nodes, their disks, their ways to the journal, and the journal's servers.
extension World {
    /// Causes a fault.
    func failNodes() throws {
        let index = Dice.below(machines.count)
        let machine = machines[index]
        switch Dice.below(14) {
        case 0...2: if machine.isRunning { try crash(index, isPowerCut: Dice.once(in: 2), isSilent: Dice.once(in: 3)) }
        case 3: if machine.isRunning { machine.beginStopping() }
        case 4:
            sim_disk_choose(Int32(machine.number))
            sim_disk_die(Int32(Dice.below(12)))
        case 5:
            sim_disk_choose(Int32(machine.number))
            sim_disk_fail(Int32(Dice.below(12)), Int32(1 + Dice.below(6)), Int32(Dice.below(2)))
        case 6...8: servers?.loseLeader(milliseconds: 200 + Int64(Dice.below(8000)))
        case 9, 10: cut(machine, milliseconds: Int64(Dice.below(20_000)))
        case 11: sim_freeze_connection(Int32(1 + Dice.below(3)), Int64(Dice.below(40_000)))
        case 12: sim_fail_accepts(Int32(1 + Dice.below(4)))
        default: sim_reset_connection()
        }
    }

    /// A node is cut off from the journal and the other nodes for a while.
    private func cut(_ machine: Machine, milliseconds: Int64) {
        guard let way = machine.way else { return }
        way.isCut = true
        servers?.at(sim_now() + milliseconds) { [weak way] in way?.mend() }
    }
}
