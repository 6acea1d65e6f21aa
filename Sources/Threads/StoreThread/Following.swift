import EventLoop
import Journal
import Model
import Store
import Telemetry
import ThreadMessages

/// Applies the entries of the journal to this node's database, in their order.
///
/// Entries that have come together share a transaction, and so an fsync. When the disk fails they are kept, and applied
/// when it works again.
///
/// - Confinement: store
final class Following {
    private let writer: Writer
    private let storage: StorageHealth
    private let health: WriterHealth
    private let cluster: Mailbox<ClusterMessage>
    private let log: ServerLog
    private var kept: [(entry: JournalEntry, place: JournalPlace)] = []
    /// The node's database is not that of the others: nothing is applied any more.
    private(set) var isStopped = false
    /// Gets each entry that is in the database; `isNew` is false for one that it had already.
    var applied: (_ entry: JournalEntry, _ place: JournalPlace, _ isNew: Bool) -> Void = { _, _, _ in }
    /// Whether the loops have as much to deliver as they may have before them.
    var areLoopsBusy: () -> Bool = { false }
    /// Goes on when the loops have delivered.
    private var timer: LoopTimer?

    init(
        _ writer: Writer, _ storage: StorageHealth, _ health: WriterHealth, _ cluster: Mailbox<ClusterMessage>,
        _ log: ServerLog, on loop: Loop
    ) {
        self.writer = writer
        self.storage = storage
        self.health = health
        self.cluster = cluster
        self.log = log
        timer = LoopTimer(on: loop) { [unowned self] in applyKept() }
    }

    /// Whether entries wait that are not applied yet.
    var isBehind: Bool { !kept.isEmpty }

    /// Takes the next entry. After a failure they are read again, so some may be here already.
    func add(_ entry: JournalEntry, at place: JournalPlace) {
        guard !isStopped, place.sequence > kept.last?.place.sequence ?? 0 else { return }
        kept.append((entry, place))
    }

    /// Applies all entries that are here, as far as the disk and the loops allow.
    func applyKept() {
        // With a fault the thread tries to write, and this goes on when that has succeeded.
        guard !kept.isEmpty, !isStopped, storage.fault == nil else { return }
        var entriesMax = MemberLimits.appliedEntriesMax
        do {
            // A commit that failed may stand all the same.
            try writer.settle()
            while !kept.isEmpty {
                guard !areLoopsBusy() else { return timer?.start(afterMilliseconds: 1) ?? () }
                let run = nextRun(entriesMax)
                do {
                    try apply(run)
                } catch let divergence as Divergence where run.count > 1 {
                    log.debug("entries are applied one by one", ["reason": divergence.description])
                    entriesMax = 1
                }
            }
        } catch let divergence as Divergence {
            leave(divergence.description)
        } catch let problem as WrongSchema {
            stop(problem.description, .unfit(sentence: problem.description))
        } catch {
            health.failed(error)
            postFailure()
        }
    }

    /// The disk works again: goes on, and says so.
    func recover() {
        guard !isStopped else { return }
        applyKept()
        if storage.fault == nil { postApplied() }
    }

    /// Says how far the database has come.
    func postApplied() {
        cluster.post(.applied(writer.place ?? JournalPlace(sequence: 0, term: 0), schema: writer.schema))
    }

    /// Says that the database cannot be written.
    func postFailure() {
        let isFull = storage.fault == .diskFull || storage.fault == .diskFullOfLog
        cluster.post(.databaseFailed(at: writer.place, isFull: isFull))
    }

    func close() {
        timer?.close()
        timer = nil
    }

    /// The next entries that fit into one transaction.
    private func nextRun(_ entriesMax: Int) -> ArraySlice<(entry: JournalEntry, place: JournalPlace)> {
        var (count, statements) = (0, 0)
        while count < min(kept.count, entriesMax), statements < MemberLimits.appliedStatementsMax {
            if case .commit(let commit) = kept[count].entry.content { statements += commit.statements.runs.count }
            count += 1
            // The tables are digested as they are right after it.
            if case .mark = kept[count - 1].entry.content { break }
        }
        return kept[..<count]
    }

    private func apply(_ run: ArraySlice<(entry: JournalEntry, place: JournalPlace)>) throws {
        let known = writer.place?.sequence ?? 0
        let new = run.filter { $0.place.sequence > known }
        if !new.isEmpty {
            let commits = try new.map { (commit: try commit(of: $0.entry), place: $0.place) }
            let lead = new.last { if case .lead = $0.entry.content { true } else { false } }
            try storage.duringCommit { try writer.apply(commits, leadBy: lead?.entry.author.node) }
        }
        kept.removeFirst(run.count)
        postApplied()
        for (entry, place) in run { applied(entry, place, place.sequence > known) }
    }

    /// The commit of an entry; nil for one that changes no rows.
    ///
    /// - Throws: ``WrongSchema`` when it changes tables that are not this node's.
    private func commit(of entry: JournalEntry) throws(WrongSchema) -> JournalEntry.Commit? {
        switch entry.content {
        case .lead, .mark: return nil
        case .schema(let number):
            guard number <= writer.schema else {
                throw WrongSchema(author: entry.author, wanted: number, here: writer.schema)
            }
            return nil
        case .commit(let commit):
            guard entry.author.schema == writer.schema else {
                throw WrongSchema(author: entry.author, here: writer.schema)
            }
            return commit
        }
    }

    /// This database is not that of the others, or is damaged: the next start puts it aside, and fetches another node's.
    func leave(_ sentence: String) {
        guard !isStopped else { return }
        do {
            try writer.noteDivergence(sentence)
        } catch {
            log.error("it could not be noted that this node's database diverged", ["error": "\(error)"])
        }
        stop(sentence, .diverged(sentence: sentence))
    }

    private func stop(_ sentence: String, _ message: ClusterMessage) {
        isStopped = true
        kept = []
        log.error("this node follows the journal no more", ["reason": sentence], isChange: true)
        cluster.post(message)
    }
}

@available(*, unavailable)
extension Following: Sendable {}

/// The tables of an entry's author are not those of this node's program.
///
/// - Confinement: any
private struct WrongSchema: Error, CustomStringConvertible {
    let author: JournalEntry.Author
    /// The schema to which all nodes migrate; nil for another entry.
    var wanted: Int?
    let here: Int

    var description: String {
        if let wanted { return JournalEntry.upgradeSentence(to: wanted, here: here) }
        return
            "an entry of node '\(author.node)', term \(author.term), is for the tables of schema \(author.schema), and this "
            + "node has schema \(here): run the same program on both"
    }
}
