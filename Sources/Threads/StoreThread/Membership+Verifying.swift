import Journal
import Store
import Telemetry

// The comparison of all nodes' databases: each digests its tables as they are after the same entry.
extension Membership {
    /// Writes the entry at which all nodes digest their tables. A node that does not lead writes nothing.
    func mark(_ number: UInt64) {
        guard leads, storage.fault == nil else {
            return log.warning("the nodes cannot be compared now: this one does not lead, or cannot write")
        }
        do {
            let place = try order.mark(number)
            try storage.duringCommit { try writer.pass(place) }
            order.finish()
            waiting.note(known: place.sequence)
            following.postApplied()
            showTables(number)
        } catch {
            failed(error)
        }
    }

    /// Gives the present tables to the thread that digests them.
    func showTables(_ number: UInt64) {
        do {
            marked(try writer.snapshotTables(), number)
        } catch {
            log.error("the tables cannot be read for a comparison of the nodes", ["error": "\(error)"])
        }
    }
}
