package import GRDB

/// One step from an older database to a newer one.
///
/// - Confinement: any
package struct Migration: Sendable {
    /// The database keeps it to know that the step is done: it never changes.
    package let name: String
    package let sql: [String]

    package init(_ name: String, _ sql: String...) {
        self.name = name
        self.sql = sql
    }

    /// The number of the newest migration that a database has, also of one that a later program made.
    package static func number(of database: Database) throws -> Int {
        guard try database.tableExists("grdb_migrations") else { return 0 }
        return try Int.fetchOne(database, sql: "SELECT count(*) FROM grdb_migrations") ?? 0
    }
}

extension [Migration] {
    package var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for migration in self {
            migrator.registerMigration(migration.name) { database in
                for sql in migration.sql { try database.execute(sql: sql) }
            }
        }
        return migrator
    }

    /// Runs the migrations that a database lacks, as the migrator does, inside of the transaction that is open: the caller
    /// notes the place of the journal in the same one.
    ///
    /// - Parameter number: of the newest one that is run.
    package func advance(_ database: Database, to number: Int) throws {
        for migration in self[(try Migration.number(of: database))..<number] {
            for sql in migration.sql { try database.execute(sql: sql) }
            try database.execute(
                sql: "INSERT INTO grdb_migrations(identifier) VALUES (?)", arguments: [migration.name])
        }
    }
}
