import GRDB

/// The database's tables, as a list of migrations that is only ever appended to.
///
/// Integers stand for names wherever a row is written per message: a user's number is the number of the stream that is
/// the user's inbox, and the sign of a stream's number says what it is (``StreamID``). Times are milliseconds since
/// 1970, JSON is compact text.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 spine") { database in
            try database.execute(sql: log)
            try database.execute(sql: people)
            try database.execute(sql: chats)
            try database.execute(sql: notifications)
            try database.execute(sql: documents)
        }
        migrator.registerMigration("2 expiry") { database in
            try database.execute(sql: expiry)
        }
        migrator.registerMigration("3 revocations") { database in
            try database.execute(sql: revocations)
        }
        migrator.registerMigration("4 retention") { database in
            try database.execute(sql: retention)
        }
        migrator.registerMigration("5 alerts") { database in
            try database.execute(sql: alerts)
        }
        migrator.registerMigration("6 trigger state") { database in
            try database.execute(sql: triggerState)
        }
        migrator.registerMigration("7 preferences") { database in
            try database.execute(sql: preferences)
        }
        migrator.registerMigration("8 history") { database in
            try database.execute(sql: history)
        }
        migrator.registerMigration("9 webhooks") { database in
            try database.execute(sql: webhooks)
        }
        migrator.registerMigration("10 feeds") { database in
            try database.execute(sql: feeds)
        }
        migrator.registerMigration("11 chat streams") { database in
            try database.execute(sql: chatStreams)
        }
        migrator.registerMigration("12 history of chains") { database in
            try database.execute(sql: historyOfChains)
        }
        migrator.registerMigration("13 inbox paths") { database in
            try database.execute(sql: inboxPaths)
        }
        migrator.registerMigration("14 numbered entries") { database in
            try database.execute(sql: numberedEntries)
        }
        migrator.registerMigration("15 bounds") { database in
            try database.execute(sql: bounds)
        }
        migrator.registerMigration("16 unseen recommendations") { database in
            try database.execute(sql: unseenRecommendations)
        }
        migrator.registerMigration("17 throttled subjects") { database in
            try database.execute(sql: throttledSubjects)
        }
        migrator.registerMigration("18 lists of audiences") { database in
            try database.execute(sql: listsOfAudiences)
        }
        migrator.registerMigration("19 clocks of recipients") { database in
            try database.execute(sql: clocksOfRecipients)
        }
        migrator.registerMigration("20 topic kinds of before") { database in
            try database.execute(sql: TopicKindTable.migration)
        }
        migrator.registerMigration("21 digests that stand") { database in
            try database.execute(sql: standingDigests)
        }
        migrator.registerMigration("22 once across topics") { database in
            try database.execute(sql: onceAcrossTopics)
        }
        return migrator
    }

    /// Before a recommendation is sent, those that its reader has not seen yet are counted.
    private static let unseenRecommendations = """
        CREATE INDEX messages_unseen ON messages(chat, author) WHERE seen = 0;
        """

    /// A notification may be for several topics: the further ones, and the streams in which it and its removal lie
    /// beside their own. Before the topics stands `@` where some people have it in their inboxes.
    private static let listsOfAudiences = """
        ALTER TABLE notifications ADD COLUMN others TEXT;
        CREATE TABLE entry_streams(
            stream INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            PRIMARY KEY (stream, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX entry_streams_seq ON entry_streams(seq);
        """

    /// A notification may be for those alone whose clock shows its time: their zones, with a space before and after
    /// each.
    private static let clocksOfRecipients = """
        ALTER TABLE notifications ADD COLUMN zones TEXT;
        ALTER TABLE users ADD COLUMN zone TEXT;
        UPDATE users SET zone = preferences ->> '$.timeZone' WHERE json_valid(preferences);
        CREATE INDEX users_zone ON users(zone) WHERE zone IS NOT NULL;
        """

    /// The subject of an interruption, if its trigger counts each `collapse` by itself; else empty.
    private static let throttledSubjects = """
        ALTER TABLE interruptions ADD COLUMN subject TEXT NOT NULL DEFAULT '';
        DROP INDEX interruptions_stream;
        CREATE INDEX interruptions_stream ON interruptions(trigger, stream, subject, until);
        """

    /// Feeds put at run time; and for each thing that any feed asks for, how its source recognizes the version that is
    /// here already. A thing without a row was never fetched.
    private static let feeds = """
        CREATE TABLE feeds(
            name TEXT PRIMARY KEY,
            row TEXT NOT NULL,
            key TEXT,
            seq INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE feed_state(
            feed TEXT NOT NULL,
            target TEXT NOT NULL,
            etag TEXT,
            modified TEXT,
            checked INTEGER NOT NULL,
            PRIMARY KEY(feed, target)
        ) STRICT, WITHOUT ROWID;
        """

    /// Streams, the log and the idempotency keys.
    ///
    /// An entry of the log belongs to one stream; a change of a document, to that of its collection and to its own. A
    /// chat is a stream of its own, under the negative of its number, so that a message is one row, however many its
    /// readers (before migration 11 it lay in the inboxes of both). `body` is null if another table has the content
    /// under the same number (notifications).
    private static let log = """
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

    /// Users and what they follow. `since` is the position at which a follow began.
    private static let people = """
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

    private static let chats = """
        CREATE TABLE chats(
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            last INTEGER NOT NULL DEFAULT 0,
            last_seq INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE members(
            chat INTEGER NOT NULL,
            user INTEGER NOT NULL,
            read INTEGER NOT NULL DEFAULT 0,
            delivered INTEGER NOT NULL DEFAULT 0,
            unread INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY(chat, user)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX members_user ON members(user, chat);
        CREATE TABLE messages(
            chat INTEGER NOT NULL,
            n INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            author INTEGER NOT NULL,
            at INTEGER NOT NULL,
            text TEXT,
            product TEXT,
            reply_to INTEGER,
            seen INTEGER,
            PRIMARY KEY(chat, n)
        ) STRICT, WITHOUT ROWID;
        """

    /// A notification is one row under a stream, whatever the number of its readers; its number is its position.
    ///
    /// `UNIQUE(trigger, change, stream)` makes every replay of a trigger harmless.
    private static let notifications = """
        CREATE TABLE notifications(
            seq INTEGER PRIMARY KEY,
            stream INTEGER NOT NULL,
            topic TEXT NOT NULL,
            kind TEXT NOT NULL,
            level TEXT NOT NULL,
            texts TEXT NOT NULL,
            data TEXT NOT NULL,
            at INTEGER NOT NULL,
            expires INTEGER,
            collapse TEXT,
            trigger TEXT,
            change INTEGER,
            broadcast INTEGER,
            removed TEXT,
            UNIQUE(trigger, change, stream)
        ) STRICT;
        CREATE INDEX notifications_stream ON notifications(stream, seq) WHERE removed IS NULL;
        CREATE INDEX notifications_collapse ON notifications(stream, collapse)
            WHERE removed IS NULL AND collapse IS NOT NULL;
        CREATE TABLE seen(
            user INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            PRIMARY KEY(user, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE broadcasts(
            id INTEGER PRIMARY KEY,
            seq INTEGER NOT NULL,
            audience TEXT NOT NULL,
            size INTEGER NOT NULL,
            at INTEGER NOT NULL,
            cancelled INTEGER
        ) STRICT;
        """

    private static let expiry = """
        CREATE INDEX notifications_expires ON notifications(expires) WHERE removed IS NULL AND expires IS NOT NULL;
        """

    /// One of `token` and `user` is given. Numbers are never given twice: to lift one must not hit another.
    private static let revocations = """
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

    /// Makes a resume exact and the log finite: follows that have ended, when the log had which head, and indexes of
    /// the rows that go with the log. `key` is the client's own of a message, which the event contains, too.
    private static let retention = """
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

    /// Which document's change a notification comes from, by which it is found to be withdrawn, and why it interrupts
    /// nobody.
    private static let alerts = """
        ALTER TABLE notifications ADD COLUMN path TEXT;
        ALTER TABLE notifications ADD COLUMN silence TEXT;
        CREATE INDEX notifications_path ON notifications(path) WHERE removed IS NULL AND path IS NOT NULL;
        """

    /// For which documents a trigger has fired and was not rearmed, and whom it has interrupted in windows that last;
    /// and an index of the schedules of a document, for its deletion.
    private static let triggerState = """
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

    /// The preferences of users, now and before; their digests, and the notifications that they have snoozed.
    private static let preferences = """
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

    /// Each change of a document with the version that it replaced, so that a trigger can be run again on it. The
    /// version that it left is in the path's next row, or is the document that stands.
    private static let history = """
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
    private static let historyOfChains = """
        ALTER TABLE document_versions ADD COLUMN quiet INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE document_versions ADD COLUMN chain TEXT;
        """

    /// Position of the newest event that was logged in a chat's own stream. Events from before this migration lie in
    /// the inboxes of its members.
    private static let chatStreams = """
        ALTER TABLE chats ADD COLUMN last_event INTEGER NOT NULL DEFAULT 0;
        """

    /// An index from a chat that is read to the notifications about its messages.
    private static let inboxPaths = """
        CREATE INDEX notifications_inbox_path ON notifications(stream, path)
            WHERE removed IS NULL AND path IS NOT NULL;
        """

    /// A message's entry in the log has the number that it has in its chat, and is found by it in `messages`, whose
    /// positions ascend with the numbers: so it needs no place in an index by stream. Entries from before have no
    /// number.
    private static let numberedEntries = """
        ALTER TABLE changes ADD COLUMN n INTEGER;
        DROP INDEX changes_stream;
        CREATE INDEX changes_stream ON changes(stream, seq) WHERE n IS NULL;
        INSERT INTO meta(name, value) SELECT 'numbered_from', CAST(coalesce(max(seq), 0) AS TEXT) FROM changes;
        """

    private static let documents = """
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
