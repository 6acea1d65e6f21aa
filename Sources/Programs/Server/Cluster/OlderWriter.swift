import Configuration
import EventLoop
import Journal
import Model
import Store
import Telemetry
import ThreadMessages

/// The writer's part of a node that waits for an upgrade: it applies entries to the older tables, and migrates at the entry
/// that says so. When the node leads, it puts this entry into the journal, and nothing else.
///
/// - Confinement: loop
final class OlderWriter {
    /// Why it does not go on.
    enum End {
        /// The database has the tables of the entry `schema`.
        case migrated
        /// The database is not that of the others; that is noted in it.
        case diverged
        case failed(StartProblem)
    }

    private let database: OlderDatabase
    private let node: String
    private let cluster: Mailbox<ClusterMessage>
    private let log: ServerLog
    /// Nil while it goes on.
    private(set) var end: End?
    private var kept: [(commit: JournalEntry.Commit?, place: JournalPlace)] = []

    init(_ database: OlderDatabase, node: String, _ cluster: Mailbox<ClusterMessage>, _ log: ServerLog) {
        self.database = database
        self.node = node
        self.cluster = cluster
        self.log = log
    }

    /// Takes messages in their order.
    func receive(_ messages: [WriterMessage]) {
        do {
            for message in messages where end == nil {
                switch message {
                case .apply(let entry, let place): try take(entry, at: place)
                case .lead(let place): try lead(at: place)
                // It takes no writes of clients, and does not compare tables that are about to change.
                case .follow, .write, .unwritten, .mark, .checked, .stop: break
                }
            }
            if end == nil { try applyKept() }
        } catch let divergence as Divergence {
            diverge(divergence)
        } catch {
            fail(isConfiguration: false, "the database cannot follow the journal: \(error)")
        }
    }

    private func take(_ entry: JournalEntry, at place: JournalPlace) throws {
        switch entry.content {
        case .lead, .mark: kept.append((nil, place))
        case .schema(let number):
            try applyKept()
            try migrate(to: number, at: place)
        case .commit(let commit):
            guard entry.author.schema == database.schema else {
                return fail(
                    isConfiguration: true, JournalEntry.upgradeSentence(to: entry.author.schema, here: database.schema))
            }
            kept.append((commit, place))
        }
        if kept.count >= MemberLimits.appliedEntriesMax { try applyKept() }
    }

    private func applyKept() throws {
        guard let last = kept.last?.place else { return }
        try database.apply(kept)
        kept.removeAll(keepingCapacity: true)
        cluster.post(.applied(last, schema: database.schema))
    }

    /// All nodes are here, and this one leads: it gives the journal the entry.
    private func lead(at place: JournalPlace) throws {
        try applyKept()
        try database.apply([(nil, place)])
        cluster.post(.applied(place, schema: database.schema))
        let author = JournalEntry.Author(term: place.term, node: node, schema: database.schema)
        let entry = EncodedEntry(message: EntryWriter(author).schema(database.newest))
        let wait = CommitWait()
        guard cluster.post(.order([entry], wait)) else { return }
        switch wait.wait() {
        case .stored(let stored): try migrate(to: database.newest, at: stored)
        case .fenced, .unknown, .tooLarge:
            // If the journal has it, it comes from there.
            log.warning("the entry of the upgrade may not be in the journal")
        }
    }

    private func migrate(to number: Int, at place: JournalPlace) throws {
        guard number <= database.newest else {
            return fail(isConfiguration: true, JournalEntry.upgradeSentence(to: number, here: database.newest))
        }
        // Nobody may lead before the start with the new tables is over.
        cluster.post(.prepareToStop)
        let (before, began) = (database.schema, ContinuousClock.now)
        try database.migrate(to: number, at: place)
        cluster.post(.applied(place, schema: database.schema))
        log.warning(
            "the tables were upgraded, as on all nodes",
            [
                "from": "\(before)", "to": "\(number)", "entry": "\(place.sequence)",
                "milliseconds": "\((ContinuousClock.now - began) / .milliseconds(1))",
            ], isChange: true)
        end = .migrated
    }

    private func diverge(_ divergence: Divergence) {
        do {
            try database.noteDivergence(divergence.description)
            end = .diverged
        } catch {
            fail(isConfiguration: false, "the database is not that of the others: \(divergence); noting that: \(error)")
        }
    }

    private func fail(isConfiguration: Bool, _ sentence: String) {
        end = .failed(StartProblem(isConfiguration: isConfiguration, sentence))
    }
}

@available(*, unavailable)
extension OlderWriter: Sendable {}
