/// The log, and the tables and indexes that go with it.
///
/// - Confinement: any
enum LogSchema {
    /// Streams, the log and the idempotency keys.
    ///
    /// An entry of the log belongs to one stream; a change of a document, to that of its collection and to its own. A
    /// chat is a stream of its own, under the negative of its number, so that a message is one row, however many its
    /// readers (before migration 11 it lay in the inboxes of both). `body` is null if another table has the content
    /// (notifications, under the same number; messages that were changed, under the number in their chat).
    static let log = """
        CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE streams(
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            last INTEGER NOT NULL DEFAULT 0,
            followers INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        INSERT INTO streams(id, name) VALUES (1, 'everyone');
        CREATE TABLE changes(
            seq INTEGER PRIMARY KEY,
            stream INTEGER NOT NULL,
            second INTEGER,
            body TEXT
        ) STRICT;
        CREATE INDEX changes_stream ON changes(stream, seq);
        CREATE INDEX changes_second ON changes(second, seq) WHERE second IS NOT NULL;
        CREATE TABLE keys(
            id INTEGER PRIMARY KEY,
            user INTEGER NOT NULL,
            key TEXT NOT NULL,
            fingerprint INTEGER NOT NULL,
            at INTEGER NOT NULL,
            reply TEXT NOT NULL,
            UNIQUE(user, key)
        ) STRICT;
        """

    /// Makes a resume exact and the log finite: follows that have ended, when the log had which head, and indexes of
    /// the rows that go with the log. `key` is the client's own of a message, which the event contains, too.
    static let retention = """
        CREATE TABLE past_follows(
            follower INTEGER NOT NULL,
            until INTEGER NOT NULL,
            stream INTEGER NOT NULL,
            since INTEGER NOT NULL,
            PRIMARY KEY(follower, until)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX past_follows_until ON past_follows(until);
        CREATE TABLE log_marks(seq INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;
        CREATE INDEX notifications_removed ON notifications(seq) WHERE removed IS NOT NULL;
        CREATE INDEX seen_seq ON seen(seq);
        ALTER TABLE messages ADD COLUMN key TEXT;
        """
}
