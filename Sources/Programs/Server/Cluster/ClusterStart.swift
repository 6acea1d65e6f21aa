import Authentication
import Cluster
import Configuration
internal import Foundation
import Journal
import JournalLink
import Model
import Store
import Telemetry

/// Brings a member's folder into a state from which it can follow the journal, before the server's threads start: an empty
/// folder gets the database of another node, and so does one that was away for longer than the journal remembers.
///
/// - Confinement: the thread that starts the server
struct ClusterStart {
    /// The times of a start.
    struct Patience: Sendable {
        /// For the journal to answer a node that has a database: it can also follow later.
        var journalMilliseconds: Int64 = 10_000
        /// For the journal, and then for a node to give its database.
        var joinMilliseconds: Int64 = 60_000
        /// Without a byte for this long a copy is given up.
        var stallMilliseconds: Int64 = 30_000
    }

    let configuration: ServerConfiguration
    let directory: DataDirectory
    /// The one that signs, and those that are accepted.
    let secrets: [ServerSecret]
    let log: ServerLog
    var patience = Patience()
    /// Of the program.
    var migrations = Schema.migrations

    /// Does what the folder needs.
    ///
    /// - Throws: ``StartProblem`` when this node cannot become a member, or not now.
    func prepare() throws(StartProblem) {
        let name = try configuration.cluster.nodeName()
        while true {
            switch try standing() {
            case .alone:
                throw StartProblem(
                    isConfiguration: false,
                    "the database in \(directory.path) belongs to a server that is alone. 'watchwise cluster init' makes "
                        + "it the first of a new cluster; to join one, use an empty folder: init made another cluster, or "
                        + "this folder is not of this cluster")
            case .empty: return try join(as: name)
            case .diverged(let sentence):
                try putAside(sentence)
                return try join(as: name)
            case .member(let found):
                if try needsAnother(than: found, name) { return try join(as: name) }
                guard try isOlder(found) else { return }
                try UpgradeWait(
                    configuration: configuration, directory: directory, secrets: secrets, log: log,
                    migrations: migrations
                ).run()
            }
        }
    }

    /// Whether a member's tables are older than the program's.
    ///
    /// - Throws: ``StartProblem`` when they are newer.
    private func isOlder(_ found: FoundDatabase) throws(StartProblem) -> Bool {
        guard found.schema <= migrations.count else {
            throw StartProblem(
                isConfiguration: true, JournalEntry.upgradeSentence(to: found.schema, here: migrations.count))
        }
        return found.schema < migrations.count
    }

    private func standing() throws(StartProblem) -> FolderStanding {
        do {
            return try Founding.standing(of: directory)
        } catch {
            throw StartProblem(
                isConfiguration: false,
                "the database in \(directory.path) cannot be read: \(error)" + FolderOwner.hint(directory.path))
        }
    }

    private func putAside(_ sentence: String) throws(StartProblem) {
        let stamp = configuration.clock.now().text.replacing(":", with: "-")
        do {
            let kept = try Founding.putAside(directory, stamp: stamp)
            log.error(
                "this node's database was not that of the others; it is kept, and another one is fetched",
                ["kept": kept, "reason": sentence])
        } catch {
            throw StartProblem(
                isConfiguration: false, "the database in \(directory.path) diverged, and cannot be put aside: \(error)")
        }
    }

    /// Whether the journal does not hold the entry after a member's database any more.
    private func needsAnother(than found: FoundDatabase, _ name: String) throws(StartProblem) -> Bool {
        let talk = try JournalTalk(try JournalOptions(configuration.cluster, name: name))
        defer { talk.close() }
        guard let state = try state(talk) else { return false }
        try check(found.epoch, of: state)
        let next = found.place.sequence + 1
        // A damaged file of a journal's server lacks an entry in the middle; a node that needs it cannot read on.
        guard next < state.first || next <= state.last && talk.lacks(next) else { return false }
        log.warning(
            "the journal no longer holds what this node missed: it fetches the database of another node",
            ["applied": "\(found.place.sequence)", "oldest": "\(state.first)"], isChange: true)
        return true
    }

    /// The state of the stream; nil while the journal does not answer: a member's database serves reads meanwhile, and follows
    /// as soon as it does.
    private func state(_ talk: JournalTalk) throws(StartProblem) -> StreamState? {
        let answer: StreamState?
        do throws(StartProblem) {
            try talk.connect(milliseconds: patience.journalMilliseconds)
            answer = try talk.state(milliseconds: patience.journalMilliseconds)
        } catch {
            guard !error.isConfiguration else { throw error }
            log.warning("the journal does not answer yet", ["reason": error.description], isChange: true)
            return nil
        }
        guard let answer else { throw Self.missing(talk.options) }
        return answer
    }

    private static func missing(_ options: JournalOptions) -> StartProblem {
        StartProblem(
            isConfiguration: true,
            "the journal has no stream \(options.stream): make the cluster with 'watchwise cluster init', or give the "
                + "--journal-app that it was made with")
    }

    /// - Throws: ``StartProblem`` when a database belongs to another cluster than the stream.
    private func check(_ epoch: Epoch, of state: StreamState) throws(StartProblem) {
        guard let wanted = state.epoch, wanted != epoch.text else { return }
        throw StartProblem(
            isConfiguration: true,
            "the database in \(directory.path) has the epoch \(epoch.text), and the cluster \(wanted): init made another "
                + "cluster, or this folder is not of this cluster. An empty folder joins it")
    }

    /// Whether a node's database can follow the journal.
    private func check(
        _ found: FoundDatabase, for state: StreamState, _ talk: JournalTalk
    ) throws(DatabaseFetch.Problem) {
        if let epoch = state.epoch, epoch != found.epoch.text {
            throw DatabaseFetch.Problem(
                description: "its epoch is \(found.epoch.text), and the cluster's is \(epoch)")
        }
        let newer: StreamState?
        do {
            newer = try talk.state(milliseconds: patience.journalMilliseconds)
        } catch { throw DatabaseFetch.Problem(description: error.description) }
        let now = newer ?? state
        guard found.place.sequence + 1 >= now.first else {
            throw DatabaseFetch.Problem(
                description:
                    "its database ends at entry \(found.place.sequence), and the journal begins at \(now.first)")
        }
    }

    /// Fetches the database of another node.
    private func join(as name: String) throws(StartProblem) {
        let talk = try JournalTalk(try JournalOptions(configuration.cluster, name: name))
        defer { talk.close() }
        log.info("joining the cluster", ["node": name, "journal": talk.options.stream])
        try talk.connect(milliseconds: patience.joinMilliseconds)
        guard let state = try talk.state(milliseconds: patience.joinMilliseconds) else {
            throw Self.missing(talk.options)
        }
        let seal = JournalSeal(JournalKeys(secrets), schema: migrations.count)
        let offers = NodeOffers(to: name, configuration.cluster.joinFrom, on: talk, seal)
        var reasons: [String] = []
        let end = ContinuousClock.now + .milliseconds(patience.joinMilliseconds)
        repeat {
            for offer in offers.wait(milliseconds: 1500) {
                do throws(DatabaseFetch.Problem) {
                    return try DatabaseFetch(
                        from: offer, on: talk.turned, configuration, directory, secrets[0], log, patience
                    ).run { found throws(DatabaseFetch.Problem) in try check(found, for: state, talk) }
                } catch {
                    let reason = "\(offer): \(error.description)"
                    if !reasons.contains(reason) { reasons.append(reason) }
                    log.warning("a node gave no database", ["node": "\(offer)", "reason": error.description])
                }
            }
        } while ContinuousClock.now < end
        if reasons.isEmpty { reasons = ["no node was heard that gives its address (--node-address)"] }
        let heard = reasons.joined(separator: "; ")
        throw StartProblem(isConfiguration: false, "this node cannot join: \(heard)")
    }
}
