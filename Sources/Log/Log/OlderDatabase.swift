import GRDB
package import Journal
package import Model

/// The database of a member whose program is newer than its tables. It follows the journal with the older tables, until an
/// entry of the journal says that all nodes run the migrations here.
///
/// No statement of the program is prepared meanwhile, since it may name tables that are not there yet.
///
/// - Confinement: store
package final class OlderDatabase {
    private let connection: WriterConnection
    private let migrations: [Migration]
    /// The history that positions belong to.
    package let epoch: Epoch
    /// Position of the newest entry of the log.
    package private(set) var head: Position
    /// The newest entry of the journal that is applied here.
    package private(set) var place: JournalPlace
    /// The number of the newest migration that the database has.
    package private(set) var schema: Int

    /// The number of the newest migration of the program.
    package var newest: Int { migrations.count }

    /// - Parameter migrations: of the program.
    /// - Throws: `DatabaseError`; ``DataDirectory/Problem`` when the database is not a member's.
    package init(_ directory: DataDirectory, migrations: [Migration]) throws {
        self.migrations = migrations
        try LeftLog.rewrite(besides: directory.databasePath)
        connection = try WriterConnection(directory.databasePath)
        if connection.logFillsDisk { try? connection.makeRoom() }
        guard let found = try connection.queue.read({ try Founding.found(in: $0) }) else {
            throw DataDirectory.Problem(description: "the database is not that of a member of a cluster")
        }
        (epoch, head, place, schema) = (found.epoch, found.head, found.place, found.schema)
        try connection.queue.writeWithoutTransaction { database in
            // A file that cannot be written fails here.
            try database.execute(sql: NodeWrites.trial)
            try database.bufferLog()
        }
    }

    /// Applies entries that follow each other in one transaction.
    ///
    /// - Parameter entries: without a commit, the place of an entry that changes no rows.
    /// - Throws: ``Divergence``, `DatabaseError`; then none of them is applied.
    package func apply(_ entries: [(commit: JournalEntry.Commit?, place: JournalPlace)]) throws {
        var (head, last): (Position, JournalPlace?) = (self.head, place)
        try write { database in
            try database.repeatEntries(entries, head: &head, place: &last)
            if let last { try Self.note(last, in: database) }
        }
        self.head = head
        if let last { place = last }
    }

    /// Runs the migrations up to a number, at the place of the entry that says so. The transaction has both: a process that
    /// ends in the middle finds the older tables and reads the entry again.
    ///
    /// - Throws: `DatabaseError`; then nothing is done.
    package func migrate(to number: Int, at place: JournalPlace) throws {
        precondition(number <= newest, "a migration that this program does not have")
        guard place.follows(self.place) else { throw Divergence.place(place, after: self.place) }
        if number > schema {
            // As the migrator does it: a migration may put another table in the place of one that others refer to.
            try setForeignKeys(false)
            defer { try? setForeignKeys(true) }
            try write { database in
                try migrations.advance(database, to: number)
                try database.checkForeignKeys()
                try Self.note(place, in: database)
            }
        } else {
            try write { try Self.note(place, in: $0) }
        }
        (self.schema, self.place) = (max(schema, number), place)
    }

    /// Notes that this node's database is not that of the others: its next start puts it aside.
    ///
    /// - Throws: `DatabaseError`.
    package func noteDivergence(_ sentence: String) throws {
        try write { database in
            var input = StatementInput(try database.cachedStatement(sql: NodeWrites.divergence))
            input.add(sentence)
            try input.run()
        }
    }

    /// Closes it; one file is left.
    package func close() throws { try connection.close(isLast: true) }

    private static func note(_ place: JournalPlace, in database: Database) throws {
        var input = StatementInput(try database.cachedStatement(sql: NodeWrites.place))
        input.add(String(place.sequence))
        input.add(String(place.term))
        try input.run()
    }

    private func setForeignKeys(_ areOn: Bool) throws {
        try connection.queue.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA foreign_keys = \(areOn ? "ON" : "OFF")")
        }
    }

    private func write(_ body: (Database) throws -> Void) throws {
        do {
            try connection.queue.writeWithoutTransaction { database in
                try database.inTransaction(.immediate) {
                    try body(database)
                    return .commit
                }
                try? connection.room.keep(database)
            }
        } catch {
            connection.forget()
            throw error
        }
    }
}

@available(*, unavailable)
extension OlderDatabase: Sendable {}
