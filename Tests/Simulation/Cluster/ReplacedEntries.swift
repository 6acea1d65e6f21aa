import SimulatedKernel

/// The journal's servers lose entries that only one node has, and other entries take their places before that node is back:
/// it must stop or join as a new node, and not go on with a database of its own.
///
/// Writes that it had acknowledged are gone with the entries, so nothing but the databases is compared afterwards.
/// - Confinement: the one thread
struct ReplacedEntries {
    let world: World

    /// - Parameter write: causes a write over HTTP.
    /// - Throws: ``Broken``
    func run(writing write: () -> Void) throws {
        for device in world.devices where !device.isStopped { device.stop() }
        try world.comeToRest()
        try world.settle(milliseconds: 3000)
        guard let servers = world.servers, let index = Dice.pick(world.machines.indices.filter { isMember($0) }) else {
            return
        }
        let ahead = world.machines[index]
        let others = world.members.filter { $0 !== ahead }
        guard !others.isEmpty else { return }
        for other in others { other.way?.isCut = true }
        for _ in 0..<3 {
            write()
            try world.settle(milliseconds: 4000)
        }
        let known = others.compactMap(\.place).max() ?? 0
        let before = ahead.place
        world.mayJoinAgain = true
        world.mayStop = true
        try world.crash(index, isPowerCut: false, isSilent: false, forMilliseconds: 30_000)
        _ = servers.lose(servers.entries.count - Int(known))
        for other in others { other.way?.mend() }
        for _ in 0..<3 {
            write()
            try world.settle(milliseconds: 5000)
        }
        try world.settle(milliseconds: 45_000)
        let places = world.members.map { $0.place }
        let isEqual = Set(places).count == 1
        guard isEqual || ahead.place == before else {
            throw Broken("node \(ahead.number) had entries that the journal lost, and goes on: \(places)")
        }
        let compared = isEqual && !ahead.isOut ? world.members : others
        for machine in world.members { machine.crash(isPowerCut: false, isSilent: false) }
        try NodesAudit.checkEqual(compared)
    }

    private func isMember(_ index: Int) -> Bool { !world.machines[index].hasLeft }
}
