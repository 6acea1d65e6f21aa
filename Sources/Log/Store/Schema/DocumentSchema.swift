/// Documents, the trigger table, its schedules and dead letters.
///
/// - Confinement: any
enum DocumentSchema {
    static let documents = """
        CREATE TABLE documents(
            path TEXT PRIMARY KEY,
            collection TEXT NOT NULL,
            id TEXT NOT NULL,
            version INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            body TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX documents_collection ON documents(collection, id) WHERE body IS NOT NULL;
        CREATE TABLE triggers(
            name TEXT PRIMARY KEY,
            row TEXT NOT NULL,
            seq INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE schedules(
            trigger TEXT NOT NULL,
            path TEXT NOT NULL,
            due INTEGER NOT NULL,
            change INTEGER NOT NULL,
            wanted TEXT NOT NULL,
            PRIMARY KEY(trigger, path)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX schedules_due ON schedules(due);
        CREATE TABLE dead(
            id INTEGER PRIMARY KEY,
            trigger TEXT NOT NULL,
            path TEXT NOT NULL,
            change INTEGER NOT NULL,
            reason TEXT NOT NULL,
            at INTEGER NOT NULL
        ) STRICT;
        """
}
