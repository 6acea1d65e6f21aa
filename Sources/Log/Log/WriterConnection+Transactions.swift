import GRDB
import Journal
import Model

// The transactions of the connection: a batch of items, and the entries of a leading node.
extension WriterConnection {
    /// An item that was not in a savepoint has written, and then thrown.
    struct RefusedAfterWriting: Error {}

    /// Runs items in one transaction, and commits it, see ``Writer/commit(_:perform:refuse:keep:revert:mayGoOn:)``.
    ///
    /// - Parameters:
    ///   - head: of the log before it.
    ///   - order: with one, the statements are recorded (``WriteAccess/record(into:)``).
    /// - Returns: what was committed, and its place in the journal, if it has got one.
    /// - Throws: ``RefusedAfterWriting`` without savepoints; what `perform` throws when the disk is the reason;
    ///   `DatabaseError`. Then nothing of it is done, unless committing failed.
    func commit<Item, Outcome>(
        _ items: [Item], after head: Position, by order: (any CommitOrder)?, inSavepoints: Bool,
        _ perform: (Item, WriteTransaction) throws -> Outcome, _ refuse: (any Error) -> Outcome,
        _ keep: (Outcome, Item, WriteTransaction) throws -> Void, _ mayGoOn: () -> Bool
    ) throws -> (CommittedBatch<Outcome>, JournalPlace?) {
        try inTransaction { access in
            access.recorder?.start(changedRows: access.database.changedRows)
            let transaction = WriteTransaction(access, head: head)
            var outcomes: [(outcome: Outcome, stepCount: Int)] = []
            outcomes.reserveCapacity(items.count)
            for item in items {
                let outcome: Outcome
                let mark = transaction.mark
                let recorded = access.recorder?.mark()
                do {
                    outcome =
                        inSavepoints
                        ? try transaction.savepoint { try perform(item, transaction) }
                        : try perform(item, transaction)
                } catch {
                    // A statement after this one would begin a transaction of its own, and commit it.
                    guard transaction.isOpen else { throw error }
                    // The disk's fault, not the item's: nothing of the transaction can be relied on.
                    if StorageFault.isMet(by: error) { throw error }
                    guard inSavepoints || transaction.mark == mark else { throw RefusedAfterWriting() }
                    // A savepoint has cut the record itself, and kept what it wrote of earlier items.
                    if !inSavepoints, let recorded { access.recorder?.cut(to: recorded) }
                    outcome = refuse(error)
                    try keep(outcome, item, transaction)
                }
                outcomes.append((outcome, transaction.steps.count))
                guard mayGoOn() else { break }
            }
            try access.flush()
            let committed = CommittedBatch(
                items: outcomes, steps: transaction.steps, head: transaction.head,
                webhooks: transaction.webhookTally, pushes: transaction.pushTally)
            return (committed, try order.flatMap { try Self.put(committed, after: head, of: access, into: $0) })
        }
    }

    /// Gives a commit to the journal, and notes its place.
    ///
    /// - Returns: nil when nothing was written, and nothing was to be ordered.
    private static func put<Outcome>(
        _ committed: CommittedBatch<Outcome>, after head: Position, of access: WriteAccess,
        into order: any CommitOrder
    ) throws -> JournalPlace? {
        guard let recorder = access.recorder else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        let statements = try recorder.finish(changedRows: access.database.changedRows)
        let record = CommitRecord(
            before: head, head: committed.head, statements: statements, steps: committed.steps,
            stepCounts: committed.items.map(\.stepCount), webhooks: committed.webhooks, pushes: committed.pushes)
        guard !record.isEmpty || order.ordersEmpty else { return nil }
        let place = try order.order(record)
        access.record(into: nil)
        try access.note(place)
        return place
    }

    /// Runs what repeats the writes of another node in one transaction, and commits it.
    ///
    /// - Throws: what `body` throws; `DatabaseError`. Then nothing of it is done, unless committing failed.
    func follow(_ body: (WriteAccess) throws -> Void) throws {
        try inTransaction { access in
            // The rows change without it.
            access.memory?.forgetAll()
            access.record(into: nil)
            try body(access)
        }
    }

    private func inTransaction<Value>(_ body: (WriteAccess) throws -> Value) throws -> Value {
        guard let access else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        return try queue.writeWithoutTransaction { database in
            try StatementInput(access.statements.begin).run()
            do {
                let value = try body(access)
                try StatementInput(access.statements.commit).run()
                // The commit stands, even if this fails.
                try? room.keep(database)
                return value
            } catch {
                access.forget()
                // The connection must not stay inside a transaction; if rolling back fails too, SQLite has done it.
                if database.isInsideTransaction { try database.execute(sql: "ROLLBACK") }
                throw error
            }
        }
    }
}
