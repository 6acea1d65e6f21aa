import Synchronization

/// How this node stands among the others, as its threads and `/readyz` see it.
///
/// - Confinement: any
package final class NodeStanding: Sendable {
    /// - Confinement: any
    package enum Role: String, Sendable, Hashable {
        /// There are no other nodes.
        case alone
        case following, leading
        /// It takes no part any more, until it is started again; the log says why.
        case stopped
    }

    /// - Confinement: any
    package struct Facts: Sendable, Hashable {
        package var role = Role.alone
        /// The number of the leadership of the newest entry that was read.
        package var term: UInt64 = 0
        /// The name of the node that leads; nil when none is known.
        package var leader: String?
        /// The newest entry of the journal that the database has.
        package var applied: UInt64 = 0
        /// The newest entry that the journal is known to have.
        package var last: UInt64 = 0
        /// For how many milliseconds the database has not had everything that the journal has; zero when it has.
        package var lagMilliseconds: Int64 = 0
        /// Whether the database has not had everything yet since the process began.
        package var isCatchingUp = false
        /// For how many milliseconds the journal has not proved to this node that most of its servers are there.
        package var unprovedMilliseconds: Int64 = 0
        /// Whether another node is heard; after a cut not before the journal or the leader has said which entries there are.
        package var hearsOthers = true
        /// For how many milliseconds the node has been cut off: without a proof, and without another node. While the journal's
        /// servers choose a leader nobody has a proof.
        package var cutOffMilliseconds: Int64 { hearsOthers ? 0 : unprovedMilliseconds }
        /// Why this node must start again, to fetch the database of another one; nil when it need not.
        package var rejoins: String?
        /// Why this node must end and start again with the program that is installed; nil when it need not.
        package var restarts: String?
        /// Why this node cannot take part with its program; nil when it can.
        package var unfit: String?
        /// The reason for which a node with older tables than its program's waits; nil when it does not.
        package var waitsForUpgrade: String?
        /// Seconds after which an entry of the journal goes; nil when it goes only by size, or it is not known.
        package var journalAgeSecondsMax: Int64?

        package init() {}

        /// For operators.
        package var cutOffSentence: String {
            "this node has been cut off from the others, and the journal has shown it no majority, for \(cutOffMilliseconds / 1000) s"
        }
    }

    private let facts = Mutex(Facts())
    private let stop = Atomic<Bool>(false)

    /// - Parameter amongOthers: the node is not ready before the thread of the cluster has looked.
    package init(amongOthers: Bool = false) {
        guard amongOthers else { return }
        facts.withLock {
            $0.role = .following
            $0.isCatchingUp = true
        }
    }

    package var now: Facts { facts.withLock { $0 } }

    /// Whether the server is about to stop; from then on it is not ready.
    package var isStopNear: Bool { stop.load(ordering: .relaxed) }

    /// The server is about to stop.
    package func announceStop() { stop.store(true, ordering: .relaxed) }

    /// Replaces the facts.
    package func set(_ facts: Facts) { self.facts.withLock { $0 = facts } }
}
