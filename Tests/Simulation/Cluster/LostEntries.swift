import SimulatedKernel

/// The journal's servers lose entries that they have acknowledged: nodes that have these must stop, and not go on with
/// others in their place.
/// - Confinement: the one thread
struct LostEntries {
    let world: World

    /// The nodes have all entries; the servers lose the newest ones, and have them again after a minute.
    ///
    /// - Throws: ``Broken``
    func run(writing write: () throws -> Void) throws {
        guard let servers = world.servers else { return }
        try NodesAudit.comeTogether(world)
        world.mayStop = true
        let acknowledged = servers.lose(1 + Dice.below(5))
        let answers = answerCount
        let left = servers.entries.count
        for _ in 0..<3 {
            try write()
            try world.settle(milliseconds: 12_000)
        }
        guard servers.entries.count == left else {
            throw Broken("entries took the place of acknowledged ones that the journal had lost")
        }
        guard answerCount == answers else {
            throw Broken("writes were acknowledged although the journal has less than the nodes")
        }
        servers.restore(acknowledged)
        for index in world.machines.indices where world.machines[index].isRunning {
            try world.crash(index, isPowerCut: false, isSilent: false)
        }
        try world.comeToRest()
        world.mayStop = false
        // The newest documents may wait for a digest.
        try world.settle(milliseconds: 2 * World.digestSeconds * 1000)
    }

    /// How many different writes were done.
    private var answerCount: Int { world.ledger.writes.count { $0.reply != nil } }
}
