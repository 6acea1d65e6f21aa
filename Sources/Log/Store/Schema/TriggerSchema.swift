/// The state of triggers, and the history that a trigger needs to run again.
///
/// - Confinement: any
enum TriggerSchema {
    /// For which documents a trigger has fired and was not rearmed, and whom it has interrupted in windows that last;
    /// and an index of the schedules of a document, for its deletion.
    static let triggerState = """
        CREATE TABLE fired(
            path TEXT NOT NULL,
            trigger TEXT NOT NULL,
            PRIMARY KEY(path, trigger)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE interruptions(
            seq INTEGER PRIMARY KEY,
            trigger TEXT NOT NULL,
            stream INTEGER NOT NULL,
            until INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX interruptions_stream ON interruptions(trigger, stream, until);
        CREATE INDEX interruptions_until ON interruptions(until);
        CREATE INDEX schedules_path ON schedules(path);
        """

    /// Each change of a document with the version that it replaced, so that a trigger can be run again on it. The
    /// version that it left is in the path's next row, or is the document that stands.
    static let history = """
        CREATE TABLE document_versions(
            seq INTEGER PRIMARY KEY,
            path TEXT NOT NULL,
            before TEXT,
            at INTEGER NOT NULL,
            by TEXT NOT NULL
        ) STRICT;
        CREATE INDEX document_versions_path ON document_versions(path, seq);
        """

    /// The facts about a change that a trigger needs when it is run again, as when it first ran: whether the change was
    /// a feed's first answer, and through which triggers it came about.
    static let historyOfChains = """
        ALTER TABLE document_versions ADD COLUMN quiet INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE document_versions ADD COLUMN chain TEXT;
        """

    /// The subject of an interruption, if its trigger counts each `collapse` by itself; else empty.
    static let throttledSubjects = """
        ALTER TABLE interruptions ADD COLUMN subject TEXT NOT NULL DEFAULT '';
        DROP INDEX interruptions_stream;
        CREATE INDEX interruptions_stream ON interruptions(trigger, stream, subject, until);
        """
}
