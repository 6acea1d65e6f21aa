import ClientProtocol
import GRDB
import Model
import SimulatedKernel

/// The erasures of guests, with kills in the middle of their slices.
extension Workload {
    /// Asks for the erasure of a guest, and mostly kills the node that works on it.
    func erase() throws {
        guard Dice.once(in: 14), let mode = Dice.pick(["redact", "redact", "keep", "remove"]),
            let guest = Dice.pick(World.guests.filter { !world.ledger.isErased($0) }),
            let key = world.ledger.makeKey()
        else { return }
        let erasure = SocialLedger.Erasure(of: guest, mode: mode)
        world.ledger.social.erasures.append(erasure)
        world.feed.add(.erasure(erasure, key: key))
        var phase: Int64 = 0
        for _ in 0..<Dice.below(4) {
            phase += Int64(Dice.below(4))
            guard try kill(at: phase) else { return }
        }
    }

    /// Kills the node that erases when the work has come to a phase.
    ///
    /// - Returns: false when it does not come so far for a while.
    private func kill(at phase: Int64) throws -> Bool {
        for _ in 0..<100 {
            for _ in 0..<1 + Dice.below(12) { try world.step() }
            if let broken = world.ledger.broken { throw broken }
            guard let index = world.machines.firstIndex(where: { $0.erases }),
                let reached = world.machines[index].erasurePhase, reached >= phase
            else { continue }
            try world.crash(index, isPowerCut: Dice.once(in: 2), isSilent: Dice.once(in: 4))
            return true
        }
        return false
    }
}

extension Machine {
    /// Whether it would work on an erasure: it runs alone, or leads.
    fileprivate var erases: Bool { isRunning && !isStopping && !isBusy && (number == 0 || leads) }

    /// How far the oldest erasure at work has come; nil when none is.
    fileprivate var erasurePhase: Int64? {
        let phase = try? inspect {
            try Int64.fetchOne($0, sql: "SELECT phase FROM erasures WHERE finished IS NULL ORDER BY id LIMIT 1")
        }
        return phase.flatMap { $0 }
    }
}
