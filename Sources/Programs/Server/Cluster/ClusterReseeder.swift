import Authentication
import Cluster
package import Configuration
import Journal
import JournalLink
import Model
import Store

/// Makes the journal of a cluster again after it was lost, so that it goes on after the last entry that a node's database has
/// (`watchwise cluster reseed`).
///
/// Nodes that have less fetch a database when they start. The epoch stays only when no position is missing that a client may have
/// seen: all nodes were heard, none has more, the folder is as its server left it, and its machine has not lost power since.
///
/// - Confinement: one thread
package struct ClusterReseeder {
    /// The result.
    ///
    /// - Confinement: any
    package struct Report: Sendable, Hashable {
        package let stream: String
        package let epoch: String
        /// Why the folder may lack commits that clients have seen, so that the epoch is another one; nil when it stays.
        package let renewal: Renewal?
        /// The newest entry of the database; the journal's first one comes after it.
        package let last: UInt64
        /// Other nodes that were heard, with their newest entries.
        package let heard: [String]

        /// The end of a sentence for operators: how the other nodes are to start.
        package var others: String {
            renewal == nil
                ? ": those that have less fetch a database"
                : ", each with an empty database: delete watchwise.db and the files whose names begin with that, and keep "
                    + "the secrets"
        }
    }

    /// Why the epoch is a new one.
    ///
    /// - Confinement: any
    package enum Renewal: String, Sendable, Hashable {
        case powerCut = "the machine stopped while commits were on the disks of the journal only"
        case replaced = "the database of the folder is not the one that was last served from it: a backup was restored"
        case unheard =
            "not all nodes were heard, and one of the others may have more (--nodes N says how many there are)"
    }

    /// The choices of the operator.
    ///
    /// - Confinement: any
    package struct Orders: Sendable {
        package var size: ClusterFounder.Size
        /// How many nodes there are, this one with them; nil when it is not said.
        package var nodes: Int?
        /// Whether a stream may be deleted that ends before the folder's last entry, or goes on after a restored backup.
        package var deletesJournal = false

        package init(size: ClusterFounder.Size) { self.size = size }
    }

    private static let connectMilliseconds: Int64 = 10_000
    private static let streamMilliseconds: Int64 = 30_000
    /// Nodes send heartbeats four times a second.
    private static let listenMilliseconds: Int64 = 2500

    /// Makes the stream; the folder's server must be stopped.
    ///
    /// - Throws: ``StartProblem``; then nothing was made.
    package static func reseed(
        _ configuration: ServerConfiguration, _ orders: Orders
    ) throws(StartProblem) -> Report {
        let options = try JournalOptions(configuration.cluster, name: "watchwise cluster reseed")
        let (directory, found) = try openFolder(configuration.data)
        defer { withExtendedLifetime(directory) {} }
        let talk = try JournalTalk(options)
        defer { talk.close() }
        try talk.connect(milliseconds: connectMilliseconds)
        let state = try talk.state(milliseconds: streamMilliseconds)
        let isReplaced = try wasReplaced(directory, found)
        if let state { try checkDeletion(of: state, orders, found, isReplaced: isReplaced, options) }
        let heard = listen(on: talk, JournalSeal(try JournalKeys(ofFolder: directory.path), schema: found.schema))
        if let further = heard.values.first(where: { $0.applied > found.place.sequence || $0.head > found.head.value })
        {
            throw StartProblem(
                isConfiguration: false,
                "node \(further.node) has entries up to \(further.applied), and this folder up to "
                    + "\(found.place.sequence): stop that node and run the command with its folder")
        }
        let isWhole = orders.nodes.map { heard.count + 1 >= $0 } ?? false
        let renewal: Renewal? =
            found.mayLackCommits ? .powerCut : isReplaced ? .replaced : isWhole ? nil : .unheard
        if state != nil { try talk.deleteStream() }
        let epoch = renewal == nil ? found.epoch : try renewEpoch(directory)
        var settings = StreamSettings()
        settings.replicas = orders.size.replicas
        settings.ageSecondsMax = orders.size.ageSecondsMax
        settings.bytesMax = orders.size.bytesMax
        settings.epoch = epoch.text
        settings.firstSequence = found.place.sequence + 1
        let report = try talk.checkStream(settings, makes: true, milliseconds: streamMilliseconds)
        guard report.differences.isEmpty, report.state.last == found.place.sequence else {
            let problems = report.differences.map(\.description) + ["its last entry is \(report.state.last)"]
            throw StartProblem(
                isConfiguration: false,
                "the stream \(options.stream) was made, and cannot be used: \(problems.joined(separator: "; "))")
        }
        return Report(
            stream: options.stream, epoch: epoch.text, renewal: renewal, last: found.place.sequence,
            heard: heard.values.map { "\($0.node) (entry \($0.applied))" }.sorted())
    }

    private static func openFolder(_ path: String) throws(StartProblem) -> (DataDirectory, FoundDatabase) {
        let directory: DataDirectory
        let standing: FolderStanding
        do {
            directory = try DataDirectory(path)
            standing = try Founding.standing(of: directory)
        } catch {
            throw StartProblem(isConfiguration: false, "\(error)" + FolderOwner.hint(path))
        }
        guard case .member(let found) = standing else {
            throw StartProblem(
                isConfiguration: false, "\(path) has no database of a cluster that could follow its journal")
        }
        return (directory, found)
    }

    private static func wasReplaced(
        _ directory: DataDirectory, _ found: FoundDatabase
    ) throws(StartProblem) -> Bool {
        do {
            return try Founding.wasReplaced(directory, found)
        } catch {
            throw StartProblem(isConfiguration: false, "the folder \(directory.path) cannot be read: \(error)")
        }
    }

    private static func renewEpoch(_ directory: DataDirectory) throws(StartProblem) -> Epoch {
        do {
            return try Founding.renewEpoch(directory)
        } catch {
            throw StartProblem(isConfiguration: false, "the epoch of \(directory.path) cannot be renewed: \(error)")
        }
    }

    /// A stream that is there is deleted only by order, and never one that has everything that the folder's server had: nothing is
    /// lost then.
    ///
    /// - Throws: ``StartProblem`` unless it may be deleted.
    private static func checkDeletion(
        of state: StreamState, _ orders: Orders, _ found: FoundDatabase, isReplaced: Bool, _ options: JournalOptions
    ) throws(StartProblem) {
        let isShort = state.last < found.place.sequence
        guard isShort || isReplaced else {
            throw StartProblem(
                isConfiguration: false,
                "the journal \(options.stream) is there, with entries up to \(state.last), and this folder has them up to "
                    + "\(found.place.sequence): nothing is lost, start the nodes")
        }
        guard !orders.deletesJournal else { return }
        let what =
            isShort
            ? "the journal \(options.stream) ends with entry \(state.last), and this folder has entry "
                + "\(found.place.sequence): if no node has more than this folder, run this again with --delete-journal"
            : "the journal \(options.stream) has entries up to \(state.last), and the restored backup has them up to "
                + "\(found.place.sequence): the next start would read the rest and undo the restore. To go back to the backup "
                + "for good, run this again with --delete-journal"
        throw StartProblem(isConfiguration: false, what)
    }

    /// The nodes that are heard; those that stopped because the journal has less than they say so, too.
    private static func listen(on talk: JournalTalk, _ seal: JournalSeal) -> [String: NodeHeartbeat] {
        var heard: [String: NodeHeartbeat] = [:]
        talk.listen(to: "heartbeat", seal) { bytes in
            guard let beat = try? HeartbeatMessage(bytes).heartbeat else { return }
            heard[beat.node] = beat
        }
        talk.wait(milliseconds: listenMilliseconds) { false }
        return heard
    }
}
