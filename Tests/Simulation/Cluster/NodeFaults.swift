import SimulatedKernel

/// The faults of a cluster: of its nodes, their disks and clocks, their ways to the journal, and the journal's servers.
extension World {
    /// Causes a fault.
    func failNodes() throws {
        let machine = machines[Dice.below(machines.count)]
        guard !machine.hasLeft else { return }
        switch Dice.below(20) {
        case 0...2: try crash(machine, isSilent: Dice.once(in: 3))
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
        case 13: sim_reset_connection()
        case 14: isolate(machine, milliseconds: Int64(Dice.below(60_000)))
        case 15: servers?.deafen(milliseconds: Int64(Dice.below(60_000)))
        default: try failByKind(machine)
        }
    }

    /// Causes a fault that only some runs have.
    private func failByKind(_ machine: Machine) throws {
        guard let kind else { return }
        if kind.hasStranger { servers?.actAsStranger() }
        switch Dice.below(5) {
        case 0: if kind.hasClockJumps { setClock(of: machine, to: Int64(Dice.below(1_200_001)) - 600_000) }
        case 1: if kind.forgetsEntries { forgetEntries() }
        case 2:
            guard kind.losesFolders, hasOther(than: machine) else { return }
            machine.losesFolder = true
            try crash(machine, isSilent: Dice.once(in: 3))
        case 3:
            guard kind.losesMember, !machines.contains(where: \.hasLeft), hasOther(than: machine) else { return }
            machine.hasLeft = true
            try crash(machine, isSilent: Dice.once(in: 2))
        default:
            guard kind.hasFullDisks else { return }
            sim_disk_choose(Int32(machine.number))
            sim_disk_fail(Int32(Dice.below(12)), 1000, 1)
            servers?.at(sim_now() + Int64(Dice.below(15_000))) {
                sim_disk_choose(Int32(machine.number))
                sim_disk_fail(0, 0, 0)
            }
        }
    }

    private func crash(_ machine: Machine, isSilent: Bool) throws {
        guard machine.isRunning, let index = machines.firstIndex(where: { $0 === machine }) else { return }
        try crash(index, isPowerCut: Dice.once(in: 2), isSilent: isSilent)
    }

    /// Whether another node runs, from which a database can come.
    private func hasOther(than machine: Machine) -> Bool {
        machines.contains { $0 !== machine && $0.isRunning && !$0.losesFolder }
    }

    func setClock(of machine: Machine, to milliseconds: Int64) {
        unsafe Machine.clockErrors[machine.number] = milliseconds
        ledger.ages.nodeClockMoved()
    }

    /// The journal forgets the entries that all running nodes have, except for the newest ones. It keeps entries for days, and each
    /// node flushes its commits every second: what it forgets is on the disks.
    private func forgetEntries() {
        let holders = machines.filter { !$0.hasLeft && !$0.losesFolder && $0.isRunning }
        guard holders.count > 1, let least = holders.map({ $0.place ?? 0 }).min() else { return }
        for machine in holders { sim_disk_flush_logs(Int32(machine.number)) }
        servers?.forget(upTo: least - Int64(10 + Dice.below(20)))
    }

    /// A machine is cut off for a while, with a server of the journal that greets and has no majority.
    private func isolate(_ machine: Machine, milliseconds: Int64) {
        guard let way = machine.way else { return }
        way.isLonely = true
        servers?.at(sim_now() + milliseconds) { [weak way] in way?.mend() }
    }

    /// A node is cut off from the journal and the other nodes for a while.
    private func cut(_ machine: Machine, milliseconds: Int64) {
        guard let way = machine.way else { return }
        way.isCut = true
        servers?.at(sim_now() + milliseconds) { [weak way] in way?.mend() }
    }
}
