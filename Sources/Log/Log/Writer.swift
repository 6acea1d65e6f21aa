import GRDB
package import Journal
package import Model

/// The one connection that writes, with group commit: many commands, one transaction, one fsync.
///
/// On a node among others the journal has flushed the transaction already, and the node does not, see `MemberLog`.
///
/// - Confinement: store
package final class Writer {
    /// Not the folder's object, which holds its lock.
    let databasePath: String
    /// Nil when a fault has put the connection's caches in doubt, until another is opened; and after ``close()``.
    private var connection: WriterConnection?
    /// Reads nothing. While it is open, closing the other connection is not the last closing, so SQLite's index of its
    /// log stays. Without the index SQLite would read the log's file, and believe frames that were never flushed, see
    /// ``LeftLog``.
    private var anchor: DatabaseQueue?
    /// False after a failed commit, until the database's head was read again.
    private var isHeadKnown = true
    private let witness: HeadWitness
    /// Whether commits are not flushed here, since the journal has them for good, see ``MemberLog``.
    private var reliesOnJournal = false
    /// The place of a database that may lack commits, as it was opened. The note of that stays until the server has stopped
    /// in order, and the journal has given it an entry: so the journal was not lost together with them.
    private var doubtedPlace: JournalPlace?
    /// The history that positions belong to.
    package let epoch: Epoch
    /// Why the epoch is another than at the last start; nil when it is the same, or the first.
    package let epochRenewal: String?
    /// Position of the newest committed entry.
    package internal(set) var head: Position
    /// The newest entry of the journal that is applied here; nil on a node that was always alone.
    package internal(set) var place: JournalPlace?
    /// The node that wrote that entry, as the database was opened; nil when it is not known.
    package let authorAtStart: String?
    /// Puts the commits in order for other nodes; nil on a node that is alone, and then nothing is recorded.
    package var order: (any CommitOrder)?
    private lazy var recorder = WriteRecorder()
    private let plan: TablePlan

    init(_ connection: WriterConnection, in directory: DataDirectory, _ plan: TablePlan, isMember: Bool) throws {
        self.plan = plan
        databasePath = directory.databasePath
        self.connection = connection
        let witness = try HeadWitness(of: directory)
        self.witness = witness
        guard let access = connection.access else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        authorAtStart = try connection.queue.read { _ in try access.journalAuthor() }
        let opened: OpenedEpoch
        (head, place, opened) = try connection.queue.write { _ in
            let head = try Transaction(access).log.head()
            return (head, try access.journalPlace(), try OpenedEpoch(access, head, witness, isMember: isMember))
        }
        (epoch, epochRenewal) = (opened.epoch, opened.renewal)
        let anchor = try Reader.connection(databasePath)
        _ = try anchor.read { try Transaction(database: $0).log.head() }
        self.anchor = anchor
        if epochRenewal != nil { try witness.forget() }
        do {
            try witness.note(epoch, head, isFlushed: true)
        } catch  where epochRenewal == nil {
            // On a full disk the older note stands, which is true as well; the server starts, and serves the rows it
            // has.
        }
        if isMember { try relyOnJournal() }
    }

    /// From here on commits are not flushed. Where this cannot be noted, on a full disk, they are flushed as before.
    private func relyOnJournal() throws {
        if MemberLog.mayLack(try read { try $0.access.unflushedNote() }) {
            doubtedPlace = place
        } else {
            guard (try? noteUnflushed(true)) != nil else { return }
        }
        reliesOnJournal = true
        try current().relyOnJournal()
    }

    private func noteUnflushed(_ isSo: Bool) throws { try writeAlone { try $0.noteUnflushed(isSo) } }

    /// A write of this node alone, see ``NodeWrites``.
    ///
    /// - Throws: what `body` throws; `DatabaseError`.
    func writeAlone(_ body: (WriteAccess) throws -> Void) throws {
        let committed = try commit([()], by: nil) { _, transaction -> (any Error)? in
            try body(transaction.access)
            return nil
        } refuse: {
            $0
        }
        for case let error? in committed.items.map(\.outcome) { throw error }
    }

    /// Writes something of no meaning and flushes it, to learn whether writing works again. It is long enough
    /// that a disk with room for a few bytes is still called full.
    ///
    /// - Throws: `DatabaseError` when it does not.
    package func probe() throws { try writeAlone { try $0.run(NodeWrites.probe, [32 * 1024]) } }

    /// The number of the database's newest migration.
    package var schema: Int { plan.migrations.count }

    /// Reads ``head`` and ``place`` again, if a failure has put them in doubt.
    ///
    /// - Throws: `DatabaseError` when the database cannot be read.
    package func settle() throws { _ = try current() }

    /// Notes beside the database how far it has come, see ``HeadWitness``; to be called about once a second.
    ///
    /// - Throws: Foundation's error; the note before it stands then, and a restored copy may be younger than that.
    package func noteHead() throws { try witness.note(epoch, head, isFlushed: false) }

    /// Runs `perform` on each item in one transaction, and commits.
    ///
    /// When this returns, everything is flushed to the disk, or the journal has it for good. When `perform` throws, that
    /// item's writes are undone and `refuse` says what its outcome is; the others are not touched.
    ///
    /// A savepoint costs two statements and a copy of each page, and a refused item has seldom written anything. So the
    /// items run without savepoints; when one of them wrote and then threw, all of them run again, each in a savepoint.
    ///
    /// - Parameters:
    ///   - keep: called after each refusal, when what the item has written is undone; what it writes stays.
    ///   - revert: called before they run again; takes back the changes of `perform` outside of the database.
    ///   - mayGoOn: asked after each item; when it returns false, the rest is not begun, and has no outcome.
    /// - Throws: `DatabaseError` when the transaction could not begin or commit; then the outcome of the whole batch
    ///   is unknown: no answer may say that it is stored, nor that it is not.
    package func commit<Item, Outcome>(
        _ items: [Item],
        perform: (Item, WriteTransaction) throws -> Outcome,
        refuse: (any Error) -> Outcome,
        keep: (Outcome, Item, WriteTransaction) throws -> Void = { _, _, _ in },
        revert: () -> Void = {},
        mayGoOn: () -> Bool = { true }
    ) throws -> CommittedBatch<Outcome> {
        try commit(items, by: order, perform: perform, refuse: refuse, keep: keep, revert: revert, mayGoOn: mayGoOn)
    }

    /// The same; without an order it is a write of the node alone (``NodeWrites``), or the node is alone.
    func commit<Item, Outcome>(
        _ items: [Item],
        by order: (any CommitOrder)?,
        perform: (Item, WriteTransaction) throws -> Outcome,
        refuse: (any Error) -> Outcome,
        keep: (Outcome, Item, WriteTransaction) throws -> Void = { _, _, _ in },
        revert: () -> Void = {},
        mayGoOn: () -> Bool = { true }
    ) throws -> CommittedBatch<Outcome> {
        let connection = try current()
        connection.access?.record(into: order == nil ? nil : recorder)
        do {
            let (committed, place): (CommittedBatch<Outcome>, JournalPlace?)
            do {
                (committed, place) = try connection.commit(
                    items, after: head, by: order, inSavepoints: false, perform, refuse, keep, mayGoOn)
            } catch is WriterConnection.RefusedAfterWriting {
                revert()
                (committed, place) = try connection.commit(
                    items, after: head, by: order, inSavepoints: true, perform, refuse, keep, mayGoOn)
            }
            head = committed.head
            if let place { self.place = place }
            return committed
        } catch {
            doubt(connection, after: error)
            throw error
        }
    }

    /// Why the database cannot be written, by an error that ``commit(_:perform:refuse:keep:revert:mayGoOn:)`` threw.
    package func fault(of error: any Error) -> StorageFault {
        let fault = StorageFault(error)
        return fault == .diskFull && connection?.logFillsDisk == true ? .diskFullOfLog : fault
    }

    /// A connection whose caches agree with the database: after a failure it is opened and read again.
    ///
    /// - Throws: `DatabaseError` when the database cannot be opened or read; then nothing is known, and it is tried
    ///   again before the next commit.
    func current() throws -> WriterConnection {
        guard anchor != nil else { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the writer is closed") }
        let connection: WriterConnection
        if let known = self.connection {
            connection = known
        } else {
            connection = try WriterConnection(databasePath)
            try connection.prepare(plan)
            if reliesOnJournal { try connection.relyOnJournal() }
            self.connection = connection
        }
        guard !isHeadKnown else { return connection }
        do {
            (head, place) = try connection.queue.read {
                let transaction = Transaction(database: $0)
                return (try transaction.log.head(), try transaction.access.journalPlace())
            }
            isHeadKnown = true
            return connection
        } catch {
            drop(connection, after: error)
            throw error
        }
    }

    /// After a failure: drops all caches, then reads the database's head: its rows decide, not those that were meant to
    /// be there. When it cannot be read, ``current()`` tries again.
    func doubt(_ connection: WriterConnection, after error: any Error) {
        connection.forget()
        isHeadKnown = false
        drop(connection, after: error)
        guard self.connection != nil else { return }
        if StorageFault(error) == .diskFull { try? connection.makeRoom() }
        _ = try? current()
    }

    /// Closes a connection after an error that puts its caches in doubt.
    private func drop(_ connection: WriterConnection, after error: any Error) {
        guard StorageFault(error).doubtsConnection else { return }
        self.connection = nil
        // One that cannot be closed is closed by SQLite when the last reference to it goes.
        try? connection.close(isLast: false)
    }

    /// Reads on the writing connection, which sees its own latest commit. Nothing is written between two reads of the
    /// body, since this thread alone writes. The connection is not set to read-only for it, as GRDB's `read` does: that
    /// would have SQLite prepare every statement again.
    ///
    /// - Throws: `DatabaseError`, or what `body` throws. After an error of the disk the connection is opened again for
    ///   the next commit or read.
    package func read<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        let connection = try current()
        do {
            return try connection.queue.unsafeRead { try body(Transaction(database: $0)) }
        } catch {
            if StorageFault(error).doubtsConnection { doubt(connection, after: error) }
            throw error
        }
    }

    /// Moves SQLite's log into the database's file and closes it: after a stop one file is left.
    package func close() throws {
        defer { connection = nil }
        // After the commits that it speaks of: so it is on the disk only together with them.
        if reliesOnJournal, doubtedPlace == nil || doubtedPlace != place { try? noteUnflushed(false) }
        try anchor?.close()
        anchor = nil
        try (connection ?? WriterConnection(databasePath)).close(isLast: true)
        if isHeadKnown { try witness.note(epoch, head, isFlushed: true) }
        try witness.close()
    }
}

@available(*, unavailable)
extension Writer: Sendable {}
