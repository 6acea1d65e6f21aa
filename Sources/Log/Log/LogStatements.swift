import GRDB

/// The statements of the log that nearly every write runs, prepared once: to find one by its text in a cache costs as much as
/// some of them take to run.
///
/// - Confinement: store
final class LogStatements {
    let begin: Statement
    let commit: Statement
    let insertChange: Statement
    let findKey: Statement
    let insertKey: Statement
    let advanceStream: Statement

    init(_ database: Database) throws {
        begin = try database.makeStatement(sql: "BEGIN IMMEDIATE")
        commit = try database.makeStatement(sql: "COMMIT")
        insertChange = try database.makeStatement(sql: LoggedEvent.insertSQL)
        findKey = try database.makeStatement(sql: KeyEntry.findSQL)
        insertKey = try database.makeStatement(sql: KeyEntry.insertSQL)
        advanceStream = try database.makeStatement(sql: StreamEntry.advanceSQL)
    }
}

@available(*, unavailable)
extension LogStatements: Sendable {}
