import GRDB
package import Model

/// The database as the tables use it to write: with the prepared statements of the log, and the rows that the connection
/// remembers from one commit to the next.
///
/// - Confinement: store
package final class WriteAccess: ReadAccess {
    let statements: LogStatements
    /// The changes to webhooks in the present transaction, which go with its commit; each transaction begins with none.
    package var webhookTally = WebhookTally()
    /// The changes to pushes in the present transaction, the same.
    package var pushTally = PushTally()

    /// Prepares the statements, for which the tables must be there.
    ///
    /// - Throws: `DatabaseError` with SQLite's code.
    init(preparing database: Database, _ plan: TablePlan) throws {
        statements = try LogStatements(database)
        super.init(database: database)
        memory = try plan.memory(self)
    }

    /// From here on, the statements that write are noted there, or nowhere.
    func record(into recorder: WriteRecorder?) { self.recorder = recorder }

    override func findKey() -> Statement { statements.findKey }

    /// Writes what the memory has changed.
    func flush() throws { try memory?.flush(noting: recorder) }

    /// Forgets what an undone transaction, or savepoint, has left in memory.
    func forget() { memory?.forget() }
}
