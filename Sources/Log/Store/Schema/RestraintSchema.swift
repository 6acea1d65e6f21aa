/// The tables that keep people from each other, or from everybody: blocks, restrictions, limits of their own, reports.
///
/// - Confinement: any
enum RestraintSchema {
    /// A user who is in none of the first three tables is asked about nothing more when writing.
    ///
    /// `withheld` names people for whom a notification in a stream that many read is not, because they block its
    /// writer. `reports.copy` is the JSON of the messages as they were when the report came; it has no copy when
    /// no message was reported.
    static let restraint = """
        CREATE TABLE blocks(
            user INTEGER NOT NULL,
            other INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY(user, other)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX blocks_other ON blocks(other, user);
        CREATE TABLE withheld(
            seq INTEGER NOT NULL,
            user INTEGER NOT NULL,
            PRIMARY KEY(seq, user)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE restrictions(
            user INTEGER NOT NULL,
            kind TEXT NOT NULL,
            until INTEGER,
            at INTEGER NOT NULL,
            by TEXT NOT NULL,
            reason TEXT NOT NULL,
            PRIMARY KEY(user, kind)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX restrictions_until ON restrictions(until) WHERE until IS NOT NULL;
        CREATE TABLE person_limits(
            user INTEGER PRIMARY KEY,
            limits TEXT NOT NULL
        ) STRICT;
        CREATE TABLE reports(
            id INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            reporter INTEGER NOT NULL,
            user INTEGER NOT NULL,
            chat TEXT,
            n INTEGER,
            category TEXT NOT NULL,
            reason TEXT,
            copy TEXT,
            decided INTEGER,
            action TEXT,
            until INTEGER,
            statement TEXT,
            note TEXT,
            by TEXT
        ) STRICT;
        CREATE INDEX reports_reporter ON reports(reporter, at);
        CREATE INDEX reports_open ON reports(user, id) WHERE decided IS NULL;
        CREATE INDEX reports_at ON reports(at);
        """
}
