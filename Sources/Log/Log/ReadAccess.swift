package import GRDB

/// The database as the tables use it to read. A ``Transaction`` makes its tables from it, and a table makes the other
/// tables that it needs.
///
/// ```swift
/// extension UserTable {
///     package func count() throws -> Int64 { try access.number("SELECT count(*) FROM users") }
/// }
/// ```
///
/// - Confinement: store
@usableFromInline
package class ReadAccess {
    package final let database: Database
    /// Notes the statements that write; nil on a connection that reads, and on a node that is alone.
    package final internal(set) var recorder: WriteRecorder?
    /// The rows that the writer remembers; nil on a connection that reads.
    package final internal(set) var memory: (any WriterMemory)?

    package init(database: Database) { self.database = database }

    /// The statement that finds a key.
    func findKey() throws -> Statement { try database.cachedStatement(sql: KeyEntry.findSQL) }
}

@available(*, unavailable)
extension ReadAccess: Sendable {}
