import SimulatedKernel

/// Checks that a leading node whose clock goes wrong gives the lead to another one.
/// - Confinement: the one thread
struct ClockAudit {
    let world: World

    /// - Throws: ``Broken``
    func run() throws {
        // Of two clocks nobody knows which one is wrong.
        guard world.members.filter(\.isRunning).count > 2, let former = world.members.first(where: \.leads) else {
            return
        }
        world.setClock(of: former, to: Dice.once(in: 2) ? 40_000 : -40_000)
        try world.settle(milliseconds: 20_000)
        guard !former.leads else { throw Broken("node \(former.number) leads, long after its clock went wrong") }
        guard world.members.contains(where: \.leads) else {
            throw Broken("nobody leads, long after a clock went wrong")
        }
        world.setClock(of: former, to: 0)
        try world.comeToRest()
    }
}
