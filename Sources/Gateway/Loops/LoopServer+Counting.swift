import Fanout
import Mail
import Model
import Services
import Synchronization
import Telemetry

extension LoopServer {
    /// Something that a session's user reads was taken away: has the counts computed anew, once for all sessions of the
    /// user on this loop.
    func recount(_ user: StreamID, at position: Position) {
        if recounts.want(user, at: position, head: recent.head) { readCounts(of: user) }
    }

    private func readCounts(of user: StreamID) {
        settings.metrics.countsRead.add(1, ordering: .relaxed)
        read(.counts(user), for: ConnectionAddress(loop: number, slot: -1, generation: 0))
    }

    /// A user's counts were read as of a position.
    func counted(_ user: StreamID, _ counts: UnreadCounts, asOf snapshot: Position) {
        let slots = hub.subscribers(of: user)
        guard slots.isEmpty || recounts.isEnough(user, asOf: snapshot) else { return readCounts(of: user) }
        for slot in slots {
            var counts = counts
            let zone = session(in: slot)?.identity?.zone
            let streams = hub.streams(of: slot)
            counts.notifications += Int64(
                recounts.count(after: snapshot, in: streams, of: user, zone: zone ?? ZoneClock.utc.name))
            withSession(in: slot) { $0.recounted(counts, asOf: max(snapshot, recent.head)) }
        }
        recounts.done(user)
    }

    /// Asks again for the counts that could not be read.
    func readFailedCounts() {
        for user in recounts.takeFailed() {
            if hub.subscribers(of: user).isEmpty { recounts.done(user) } else { readCounts(of: user) }
        }
    }
}
