import Foundation
import GRDB
import SimulatedKernel

/// A node that joins the cluster as a new one, with the database of another node.
extension Machine {
    /// The newest entry of the journal that the database has; nil when it cannot be read.
    var place: Int64? {
        let text = try? inspect { try String.fetchOne($0, sql: "SELECT value FROM meta WHERE name = 'journal'") }
        return text.flatMap { $0 }.flatMap { Int64($0) }
    }

    /// Replaces the database by that of another node, as `DatabaseFetch` does over the network.
    ///
    /// - Returns: false when no node that runs has one that the journal continues.
    func join(oneOf machines: [Machine], from first: Int64) throws -> Bool {
        let fit = machines.filter {
            $0 !== self && $0.isRunning && !$0.losesFolder && ($0.place ?? 0) + 1 >= first
        }
        guard let source = Dice.pick(fit) else { return false }
        sim_disk_choose(Int32(number))
        sim_disk_die(-1)
        sim_disk_fail(0, 0, 0)
        let from = try DatabaseQueue(path: source.folder + "/watchwise.db")
        defer { try? from.close() }
        let to = try DatabaseQueue(path: folder + "/watchwise.db")
        defer { try? to.close() }
        try from.backup(to: to)
        try to.writeWithoutTransaction { try $0.execute(sql: "DELETE FROM node") }
        try? FileManager.default.removeItem(atPath: folder + "/erasures")
        losesFolder = false
        return true
    }

    /// The reason for which the running process must end, so that the next one joins as a new node.
    var rejoins: String? { isRunning && !isBusy ? joinReason : nil }
}
