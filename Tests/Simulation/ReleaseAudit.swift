import ClientProtocol
import JSON
import Model
import SimulatedKernel

/// Checks that each follower was notified once of each release, at their local time, with the name that the director
/// had.
/// - Confinement: any
struct ReleaseAudit {
    let ledger: Ledger
    let replay: Replay
    /// Notifications that are due within this time are not checked, in milliseconds: the server looks each second.
    private static let blur: Int64 = 3000

    /// - Throws: ``Broken``
    func run() throws {
        guard let user = UserID(replay.user) else { throw Broken("\(replay.user) is no user") }
        let zone = World.zone(of: user)
        for document in ledger.documents {
            guard let seq = document.seq, let due = zone.time(of: document.when) else { continue }
            let told = replay.visible.filter {
                $0.kind == "release" && $0.data["product"]?.stringValue == document.product
            }
            let possible = self.possible(document, seq: seq, due: due)
            guard possible.contains(told.count) else {
                throw Broken(
                    "\(replay.user) was notified \(told.count) times of \(document.path) at \(seq), not \(possible)")
            }
            let title = name(of: document.person, asOf: seq).map { "T " + $0 } ?? "T"
            guard told.allSatisfy({ $0.title == title }) else {
                throw Broken("\(document.path) is told of as \(told.map(\.title)), not \(title)")
            }
        }
    }

    /// How many notifications of it are possible.
    private func possible(_ document: Ledger.Document, seq: Int64, due: Int64) -> ClosedRange<Int> {
        let sinces = Set(["person:\(document.person)", World.topics[1].text]).compactMap { replay.follows[$0] }
        guard !document.isDeleted, let since = sinces.min() else { return 0...0 }
        let isOver = document.when == Ledger.Document.longAgo
        if seq < since { return isOver ? 0...0 : 0...1 }
        if isOver || due < sim_wall() - Self.blur { return 1...1 }
        return ledger.ages.moves == 0 && due > sim_wall() + Self.blur ? 0...0 : 0...1
    }

    private func name(of person: String, asOf seq: Int64) -> String? {
        ledger.names.filter { $0.person == person && ($0.seq ?? .max) < seq }
            .max { ($0.seq ?? 0) < ($1.seq ?? 0) }?.text
    }
}
