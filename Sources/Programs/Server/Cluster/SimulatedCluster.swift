package import Cluster
package import EventLoop
package import JournalLink

/// The parts of a member that a simulation replaces: the way to the journal, and the wait of the writer's thread.
///
/// A member of it has a database of the cluster already, so its start asks no journal.
///
/// - Confinement: any
package struct SimulatedCluster: Sendable {
    /// Makes the way to the journal on the loop of the cluster's thread; the closure gets its events.
    package typealias JournalMaker =
        @Sendable (Loop, _ events: @escaping (JournalLinkEvent) -> Void) throws -> any ClusterJournal

    let makeJournal: JournalMaker
    /// Lets the other loops work while the writer's thread waits.
    let turnOthers: @Sendable () -> Void

    package init(turningOthers turnOthers: @escaping @Sendable () -> Void, makeJournal: @escaping JournalMaker) {
        self.turnOthers = turnOthers
        self.makeJournal = makeJournal
    }
}
