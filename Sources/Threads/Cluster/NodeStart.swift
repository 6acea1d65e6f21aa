package import EventLoop
package import Journal
package import Telemetry
package import ThreadMessages

/// The facts of this node with which its part in the cluster begins.
///
/// - Confinement: any
package struct NodeStart: Sendable {
    package let node: NodeIdentity
    /// A number by chance of this run of the process.
    package let run: UInt64
    /// The place of the database in the journal; nil for one that has applied nothing.
    package let place: JournalPlace?
    /// The node that wrote the entry at this place; nil when it is not known.
    package let author: String?
    /// The number of the database's newest migration.
    package let schema: Int
    /// The number of the program's newest migration: a node whose tables are older waits for the upgrade of all.
    package let newestSchema: Int
    /// The newest position of the database.
    package let head: Int64
    /// The version of the program.
    package let program: String
    /// Whether the node may lead.
    package let mayLead: Bool
    /// The address that other nodes fetch copies of the database from; empty when there is none.
    package let address: String
    /// Of what must be equal on all nodes.
    package let digest: String
    /// Of the secret, for operators.
    let fingerprint: String
    let keys: JournalKeys
    /// Gives 0 to ``/Journal/LeadingLimits/chanceMax`` milliseconds, by chance.
    private let chance: @Sendable () -> Int64

    package init(
        name: String, address: String, fingerprint: String, keys: JournalKeys, run: UInt64, place: JournalPlace?,
        author: String? = nil, schema: Int, head: Int64, program: String, mayLead: Bool, digest: String = "",
        newestSchema: Int? = nil,
        chance: @escaping @Sendable () -> Int64 = { .random(in: 0...LeadingLimits.chanceMax) }
    ) {
        node = NodeIdentity(name: name, address: Self.address(address, run))
        self.fingerprint = fingerprint
        self.keys = keys
        self.run = run
        self.place = place
        self.author = author
        self.schema = schema
        self.newestSchema = newestSchema ?? schema
        self.head = head
        self.program = program
        self.mayLead = mayLead
        self.address = address
        self.digest = digest
        self.chance = chance
    }

    /// Why the node may not lead from its start on.
    var obstacles: Set<LeadingObstacle> {
        var obstacles: Set<LeadingObstacle> = mayLead ? [] : [.never]
        if schema < newestSchema { obstacles.insert(.upgrade) }
        return obstacles
    }

    /// Tells two nodes of one name apart, also if they have no address.
    static func address(_ address: String, _ run: UInt64) -> String {
        address.isEmpty ? "no address, run \(run)" : address
    }

    func makeLeadership(
        at place: JournalPlace?, author: String?, schema: Int, _ obstacles: Set<LeadingObstacle>, now: Int64
    ) -> Leadership {
        Leadership(
            node, schema: schema, applied: place?.sequence ?? 0, term: place?.term ?? 0, author: author,
            obstacles: obstacles, chance: chance(), at: now)
    }
}

/// The things that the cluster's thread uses and shares.
///
/// - Confinement: loop
package struct ClusterSurroundings {
    let mail: Mailboxes
    let clock: WallClock
    let metrics: Metrics
    let standing: NodeStanding
    /// The writer's knowledge of its disk.
    let storage: StorageHealth
    let log: ServerLog
    /// Where the loops read how many sessions a user has on other nodes; nil where they do not.
    let sessionsElsewhere: SessionsElsewhere?
    let loop: Loop
    /// For operators; nil where nobody asks.
    let board: ClusterBoard?
    /// The program that is installed on this machine; nil where nobody looks.
    let installed: InstalledProgram?

    package init(
        mail: Mailboxes, clock: WallClock, metrics: Metrics, standing: NodeStanding, storage: StorageHealth,
        log: ServerLog, sessionsElsewhere: SessionsElsewhere? = nil, board: ClusterBoard? = nil,
        installed: InstalledProgram? = nil, on loop: Loop
    ) {
        self.installed = installed
        self.sessionsElsewhere = sessionsElsewhere
        self.mail = mail
        self.clock = clock
        self.metrics = metrics
        self.standing = standing
        self.storage = storage
        self.log = log
        self.loop = loop
        self.board = board
    }
}

@available(*, unavailable)
extension ClusterSurroundings: Sendable {}
