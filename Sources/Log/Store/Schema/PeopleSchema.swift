/// Users, their follows, revocations and preferences.
///
/// - Confinement: any
enum PeopleSchema {
    /// Users and what they follow. `since` is the position at which a follow began.
    static let people = """
        CREATE TABLE users(
            id INTEGER PRIMARY KEY REFERENCES streams(id),
            name TEXT NOT NULL UNIQUE,
            since INTEGER NOT NULL,
            language TEXT,
            device_language TEXT,
            unread_chats INTEGER NOT NULL DEFAULT 0,
            unread_inbox INTEGER NOT NULL DEFAULT 0,
            seen_up_to INTEGER NOT NULL DEFAULT 0,
            acknowledged INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE follows(
            follower INTEGER NOT NULL,
            stream INTEGER NOT NULL,
            since INTEGER NOT NULL,
            PRIMARY KEY(follower, stream)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX follows_stream ON follows(stream, follower);
        """

    /// One of `token` and `user` is given. Numbers are never given twice: to lift one must not hit another.
    static let revocations = """
        CREATE TABLE revocations(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            token TEXT UNIQUE,
            user TEXT UNIQUE,
            issued_up_to INTEGER,
            until INTEGER NOT NULL,
            at INTEGER NOT NULL,
            by TEXT NOT NULL,
            reason TEXT
        ) STRICT;
        CREATE INDEX revocations_until ON revocations(until);
        """

    /// The preferences of users, now and before; their digests, and the notifications that they have snoozed.
    static let preferences = """
        ALTER TABLE users ADD COLUMN preferences TEXT;
        CREATE TABLE past_preferences(
            user INTEGER NOT NULL,
            until INTEGER NOT NULL,
            preferences TEXT,
            PRIMARY KEY(user, until)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX past_preferences_until ON past_preferences(until);
        CREATE TABLE digests(
            user INTEGER NOT NULL,
            subject TEXT NOT NULL,
            due INTEGER,
            since INTEGER NOT NULL,
            look_back INTEGER NOT NULL,
            PRIMARY KEY(user, subject)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX digests_due ON digests(due) WHERE due IS NOT NULL;
        CREATE INDEX digests_waiting ON digests(subject, user) WHERE due IS NULL;
        CREATE TABLE digest_firsts(
            user INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            PRIMARY KEY(user, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX digest_firsts_seq ON digest_firsts(seq);
        CREATE TABLE snoozes(
            user INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            due INTEGER NOT NULL,
            path TEXT,
            trigger TEXT,
            PRIMARY KEY(user, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX snoozes_due ON snoozes(due);
        CREATE INDEX snoozes_seq ON snoozes(seq);
        CREATE INDEX snoozes_path ON snoozes(path) WHERE path IS NOT NULL;
        """
}
