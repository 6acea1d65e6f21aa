import GRDB
package import Model

/// The one connection that writes, with group commit: many commands, one transaction, one fsync.
///
/// - Confinement: store
package final class Writer {
    private let queue: DatabaseQueue
    /// Nil when the connection is closed.
    private var prepared: Prepared?
    /// False when a commit failed and the database could not be asked where it stands.
    private var isHeadKnown = true
    private let witness: HeadWitness
    /// The history that positions belong to.
    package let epoch: Epoch
    /// Why the epoch is another than at the last start; nil when it is the same, or the first.
    package let epochRenewal: String?
    /// Position of the newest committed entry.
    package private(set) var head: Position

    /// What belongs to the connection and goes from one commit to the next.
    private struct Prepared {
        let statements: WriterStatements
        let chats: ChatMemory
    }

    init(queue: DatabaseQueue, witness: HeadWitness) throws {
        self.queue = queue
        self.witness = witness
        (epoch, head, epochRenewal) = try queue.write { database in
            let head = try ChangeLog(database: database).head()
            let stored = try Self.epoch(in: database)
            guard let stored else { return (try Self.makeEpoch(in: database), head, nil) }
            guard let objection = try witness.objection(to: stored, head: head) else { return (stored, head, nil) }
            return (try Self.makeEpoch(in: database), head, objection)
        }
        let statements = try queue.writeWithoutTransaction { try WriterStatements($0) }
        prepared = Prepared(statements: statements, chats: ChatMemory(statements: statements))
        if epochRenewal != nil { try witness.forget() }
        try witness.note(epoch, head, isFlushed: true)
    }

    /// Notes beside the database how far it has come, see ``HeadWitness``; to be called about once a second.
    ///
    /// - Throws: Foundation's error; the note before it stands then, and a restored copy may be younger than that.
    package func noteHead() throws { try witness.note(epoch, head, isFlushed: false) }

    /// What a commit did.
    package struct Committed<Outcome> {
        /// One for each item that was begun, in their order: how it ended, and how many of ``steps`` stand up to its
        /// end.
        package let items: [(outcome: Outcome, stepCount: Int)]
        /// What sessions are to experience, in the order written.
        package let steps: [CommittedStep]
        /// The newest position, whether or not this commit moved it.
        package let head: Position
        /// What became of webhooks.
        package let webhooks: WebhookTally
    }

    /// Runs `perform` on each item in one transaction, and commits.
    ///
    /// When this returns, everything is flushed to the disk. When `perform` throws, that item's writes are undone and
    /// `refuse` says what its outcome is; the others are not touched.
    ///
    /// Savepoints cost as much as two statements and a copy of each page, and an item that is refused has seldom written
    /// anything: so the items run without them, and all of them again with one each when one did write and then threw.
    ///
    /// - Parameters:
    ///   - revert: called before they run again; takes back what `perform` changed outside of the database.
    ///   - mayGoOn: asked after each item; when it says no, the rest is not begun, and has no outcome.
    /// - Throws: `DatabaseError` when the transaction could not begin or commit; then the outcome of the whole batch
    ///   is unknown, and nobody may be told that it is stored, nor that it is not.
    package func commit<Item, Outcome>(
        _ items: [Item],
        perform: (Item, WriteTransaction) throws -> Outcome,
        refuse: (any Error) -> Outcome,
        revert: () throws -> Void = {},
        mayGoOn: () -> Bool = { true }
    ) throws -> Committed<Outcome> {
        if !isHeadKnown { try findHead() }
        do {
            let committed: Committed<Outcome>
            do {
                committed = try commitOrRollBack(
                    items, inSavepoints: false, perform: perform, refuse: refuse, mayGoOn: mayGoOn)
            } catch is RefusedAfterWriting {
                try revert()
                committed = try commitOrRollBack(
                    items, inSavepoints: true, perform: perform, refuse: refuse, mayGoOn: mayGoOn)
            }
            head = committed.head
            return committed
        } catch {
            isHeadKnown = false
            try findHead()
            throw error
        }
    }

    /// What is in the database decides, not what was meant to be there.
    private func findHead() throws {
        head = try read { try $0.log.head() }
        isHeadKnown = true
    }

    /// An item that was not in a savepoint has written, and then thrown.
    private struct RefusedAfterWriting: Error {}

    private func commitOrRollBack<Item, Outcome>(
        _ items: [Item],
        inSavepoints: Bool,
        perform: (Item, WriteTransaction) throws -> Outcome,
        refuse: (any Error) -> Outcome,
        mayGoOn: () -> Bool
    ) throws -> Committed<Outcome> {
        guard let prepared else { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the writer is closed") }
        return try queue.writeWithoutTransaction { database in
            let statements = prepared.statements
            try StatementInput(statements.begin).run()
            do {
                let transaction = WriteTransaction(
                    database: database,
                    head: head,
                    statements: statements,
                    chatMemory: prepared.chats
                )
                var outcomes: [(outcome: Outcome, stepCount: Int)] = []
                outcomes.reserveCapacity(items.count)
                for item in items {
                    let outcome: Outcome
                    let mark = transaction.mark
                    do {
                        outcome =
                            inSavepoints
                            ? try transaction.savepoint { try perform(item, transaction) }
                            : try perform(item, transaction)
                    } catch {
                        // A statement behind this one would begin a transaction of its own, and commit it.
                        guard transaction.isOpen else { throw error }
                        guard inSavepoints || transaction.mark == mark else { throw RefusedAfterWriting() }
                        outcome = refuse(error)
                    }
                    outcomes.append((outcome, transaction.steps.count))
                    guard mayGoOn() else { break }
                }
                try prepared.chats.flush()
                try StatementInput(statements.commit).run()
                return Committed(
                    items: outcomes,
                    steps: transaction.steps,
                    head: transaction.head,
                    webhooks: transaction.webhookTally
                )
            } catch {
                prepared.chats.forget()
                // The connection must not stay inside a transaction; if rolling back fails too, SQLite has done it.
                if database.isInsideTransaction { try database.execute(sql: "ROLLBACK") }
                throw error
            }
        }
    }

    /// Reads on the writing connection, which sees its own latest commit.
    package func read<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        try queue.read { try body(Transaction(database: $0)) }
    }

    /// Moves the log of SQLite into the database's file and closes it: after a stop one file is left.
    package func close() throws {
        // SQLite closes a connection when its statements are gone.
        prepared = nil
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try queue.close()
        try witness.note(epoch, head, isFlushed: true)
        try witness.close()
    }

    private static func epoch(in database: Database) throws -> Epoch? {
        let stored: String? = try database.first("SELECT value FROM meta WHERE name = 'epoch'") { try $0[0] }
        guard let stored else { return nil }
        guard let epoch = Epoch(stored) else { throw StoredValueProblem(place: "meta.epoch") }
        return epoch
    }

    private static func makeEpoch(in database: Database) throws -> Epoch {
        let text = "e-" + String(UInt64.random(in: 0...UInt64.max), radix: 16)
        guard let epoch = Epoch(text) else { throw StoredValueProblem(place: "meta.epoch") }
        try database.run("INSERT OR REPLACE INTO meta(name, value) VALUES ('epoch', ?)", [text])
        return epoch
    }
}

@available(*, unavailable)
extension Writer: Sendable {}

/// One connection that reads.
///
/// - Confinement: store (the thread of this reader)
package final class Reader {
    private let queue: DatabaseQueue

    init(queue: DatabaseQueue) { self.queue = queue }

    /// Runs `body` on one consistent snapshot.
    ///
    /// - Throws: `DatabaseError`, or what `body` throws.
    package func read<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        try queue.read { try body(Transaction(database: $0)) }
    }

    /// Closes the connection; nothing may be read afterwards.
    package func close() throws { try queue.close() }
}

@available(*, unavailable)
extension Reader: Sendable {}
