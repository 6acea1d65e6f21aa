import EventLoop
import Journal
import Telemetry
import ThreadMessages

/// This node's part in an exchange of all nodes' programs for one with newer tables.
///
/// A node whose program is newer than its tables follows the journal, and leads only when no node is heard whose program is
/// older: then it puts the entry `schema` into the journal, and all nodes migrate there. A node whose program is older ends
/// when an operator orders it, so that it is started again with the program that is installed.
///
/// - Confinement: loop
final class Upgrading {
    /// Between two messages about the programs.
    private static let saidMilliseconds: Int64 = 500
    /// A node that hears no other one waits this long for them before it upgrades alone.
    private static let aloneMilliseconds: Int64 = 10_000
    /// A node that has just reached the journal has not heard all that are there.
    private static let listenMilliseconds: Int64 = 800

    private let start: NodeStart
    private let surroundings: ClusterSurroundings
    var programs = ProgramTable()
    private var sayAt: Int64 = 0
    /// Since when the journal has been reachable.
    private var reachedAt: Int64?
    /// Why this process is to end and start again; nil when it need not.
    private(set) var restarts: String?
    /// The reason for which it waits; nil when it does not.
    private(set) var waits: String?
    private var now: Int64 { surroundings.loop.now }

    init(_ start: NodeStart, in surroundings: ClusterSurroundings) {
        self.start = start
        self.surroundings = surroundings
    }

    /// Whether this node may not lead now.
    func hinders(_ owner: LeadershipOwner, among roll: NodeRoll) -> Bool {
        reachedAt = owner.unreachableSince == nil ? reachedAt ?? now : nil
        guard owner.leadership.schema < start.newestSchema else {
            waits = nil
            return restarts != nil
        }
        let count = programs.count(start.newestSchema, in: roll, except: start.node.name) { heard in
            now - heard.at <= LeadingLimits.heard
        }
        let (ready, all) = (count.ready.count + 1, count.ready.count + count.older.count + 1)
        waits = "waits for the upgrade to schema \(start.newestSchema): \(ready) of \(all) nodes run the new program"
        let listened = reachedAt.map { now - $0 } ?? 0
        return !count.older.isEmpty || listened < (all == 1 ? Self.aloneMilliseconds : Self.listenMilliseconds)
    }

    /// The message that is to be sent now; nil when none is.
    func takeDue() -> ProgramMessage? {
        guard now >= sayAt else { return nil }
        sayAt = now + Self.saidMilliseconds
        return ProgramMessage(
            node: start.node.name, run: start.run, newestSchema: start.newestSchema,
            installed: surroundings.installed?.now)
    }

    /// An operator wants newer programs on all nodes.
    func take(_ order: UpgradeMessage, _ owner: LeadershipOwner) {
        guard restarts == nil, order.schema > start.newestSchema else { return }
        guard let installed = surroundings.installed?.now, installed.schema >= order.schema else {
            return surroundings.log.error(
                "an upgrade was ordered, and the program that is installed here is too old",
                ["schema": "\(order.schema)", "installed": "\(surroundings.installed?.now?.schema ?? 0)"])
        }
        restarts =
            "an upgrade to schema \(order.schema) was ordered: the program that is installed goes on, \(installed.program)"
        surroundings.log.warning(
            "this node ends, so that its new program is started", ["schema": "\(order.schema)"], isChange: true)
        owner.hinder(.upgrade)
    }
}

@available(*, unavailable)
extension Upgrading: Sendable {}
