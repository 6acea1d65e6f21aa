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
/// The epoch stays, since no node that is heard has more. Nodes that have less fetch a database when they start. If the
/// folder's machine has lost power, the newest commits may be lost together with the journal: then the epoch is a new one.
///
/// - Confinement: one thread
package struct ClusterReseeder {
    /// The result.
    ///
    /// - Confinement: any
    package struct Report: Sendable, Hashable {
        package let stream: String
        package let epoch: String
        /// Whether the folder may lack commits that clients have seen, so that the epoch is another one.
        package let isEpochNew: Bool
        /// The newest entry of the database; the journal's first one comes after it.
        package let last: UInt64
        /// Other nodes that were heard, with their newest entries.
        package let heard: [String]
    }

    private static let connectMilliseconds: Int64 = 10_000
    private static let streamMilliseconds: Int64 = 30_000
    /// Nodes send heartbeats four times a second.
    private static let listenMilliseconds: Int64 = 2500

    /// Makes the stream; the folder's server must be stopped.
    ///
    /// - Throws: ``StartProblem``; then nothing was made.
    package static func reseed(
        _ configuration: ServerConfiguration, _ size: ClusterFounder.Size
    ) throws(StartProblem) -> Report {
        let options = try JournalOptions(configuration.cluster, name: "watchwise cluster reseed")
        let (directory, found) = try openFolder(configuration.data)
        defer { withExtendedLifetime(directory) {} }
        let talk = try JournalTalk(options)
        defer { talk.close() }
        try talk.connect(milliseconds: connectMilliseconds)
        if let state = try talk.state(milliseconds: streamMilliseconds) { throw objection(to: state, found, options) }
        let heard = listen(on: talk)
        if let further = heard.values.first(where: { $0.applied > found.place.sequence || $0.head > found.head.value })
        {
            throw StartProblem(
                isConfiguration: false,
                "node \(further.node) has entries up to \(further.applied), and this folder up to "
                    + "\(found.place.sequence): stop that node and run the command with its folder")
        }
        let epoch = found.mayLackCommits ? try renewEpoch(directory) : found.epoch
        var settings = StreamSettings()
        settings.replicas = size.replicas
        settings.ageSecondsMax = size.ageSecondsMax
        settings.bytesMax = size.bytesMax
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
            stream: options.stream, epoch: epoch.text, isEpochNew: epoch != found.epoch, last: found.place.sequence,
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

    private static func renewEpoch(_ directory: DataDirectory) throws(StartProblem) -> Epoch {
        do {
            return try Founding.renewEpoch(directory)
        } catch {
            throw StartProblem(isConfiguration: false, "the epoch of \(directory.path) cannot be renewed: \(error)")
        }
    }

    /// A stream that is there is never replaced: that may lose what only it has.
    private static func objection(
        to state: StreamState, _ found: FoundDatabase, _ options: JournalOptions
    ) -> StartProblem {
        guard state.last < found.place.sequence else {
            return StartProblem(
                isConfiguration: false,
                "the journal \(options.stream) is there, with entries up to \(state.last), and this folder has them up to "
                    + "\(found.place.sequence): nothing is lost, start the nodes")
        }
        return StartProblem(
            isConfiguration: false,
            "the journal \(options.stream) ends with entry \(state.last), and this folder has entry "
                + "\(found.place.sequence): delete it with 'nats stream rm \(options.stream)' and run this again, if no "
                + "node has more than this folder")
    }

    /// The nodes that are heard; those that stopped because the journal has less than they say so, too.
    private static func listen(on talk: JournalTalk) -> [String: NodeHeartbeat] {
        var heard: [String: NodeHeartbeat] = [:]
        talk.client.subscribe(to: "heartbeat") { signal in
            guard let beat = try? HeartbeatMessage(signal.bytes).heartbeat else { return }
            heard[beat.node] = beat
        }
        talk.wait(milliseconds: listenMilliseconds) { false }
        return heard
    }
}
