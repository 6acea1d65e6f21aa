/// Notifications, their audiences and their digests.
///
/// - Confinement: any
enum NotificationSchema {
    /// A notification is one row under a stream, whatever the number of its readers; its number is its position.
    ///
    /// `UNIQUE(trigger, change, stream)` makes every replay of a trigger harmless.
    static let notifications = """
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

    static let expiry = """
        CREATE INDEX notifications_expires ON notifications(expires) WHERE removed IS NULL AND expires IS NOT NULL;
        """

    /// Which document's change a notification comes from, by which it is found to be withdrawn, and why it interrupts
    /// nobody.
    static let alerts = """
        ALTER TABLE notifications ADD COLUMN path TEXT;
        ALTER TABLE notifications ADD COLUMN silence TEXT;
        CREATE INDEX notifications_path ON notifications(path) WHERE removed IS NULL AND path IS NOT NULL;
        """

    /// An index from a chat that is read to the notifications about its messages.
    static let inboxPaths = """
        CREATE INDEX notifications_inbox_path ON notifications(stream, path)
            WHERE removed IS NULL AND path IS NOT NULL;
        """

    /// A notification may be for several topics: the further ones, and the streams in which it and its removal lie
    /// beside their own. Before the topics stands `@` where some people have it in their inboxes.
    static let listsOfAudiences = """
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
    static let clocksOfRecipients = """
        ALTER TABLE notifications ADD COLUMN zones TEXT;
        ALTER TABLE users ADD COLUMN zone TEXT;
        UPDATE users SET zone = preferences ->> '$.timeZone' WHERE json_valid(preferences);
        CREATE INDEX users_zone ON users(zone) WHERE zone IS NOT NULL;
        """

    /// The notifications that digests in inboxes are about: when one of these notifications is taken back or replaced, the
    /// digest is written again. `notifications.origin` is the place of the first notification that one brings up to
    /// date.
    static let standingDigests = """
        ALTER TABLE notifications ADD COLUMN origin INTEGER;
        CREATE TABLE digest_entries(
            user INTEGER NOT NULL,
            subject TEXT NOT NULL,
            seq INTEGER NOT NULL,
            PRIMARY KEY(user, subject, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX digest_entries_seq ON digest_entries(seq);
        CREATE TABLE digest_revisions(seq INTEGER PRIMARY KEY) STRICT;
        """

    /// A notification may be only for people that no other stream has notified: `told_streams` has the other streams,
    /// and `told_across` the notifications of triggers that notify each person once across topics. It is a table,
    /// because all notifications would pay for an index.
    static let onceAcrossTopics = """
        CREATE TABLE told_streams(
            seq INTEGER NOT NULL,
            stream INTEGER NOT NULL,
            PRIMARY KEY (seq, stream)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE told_across(
            trigger TEXT NOT NULL,
            collapse TEXT NOT NULL,
            seq INTEGER NOT NULL,
            PRIMARY KEY (trigger, collapse, seq)
        ) STRICT, WITHOUT ROWID;
        """

    /// A notification that many read, and that one of them has put away for good; `removal` is the position of the event
    /// with which it went from the devices. One in an inbox is taken away itself.
    static let archived = """
        CREATE TABLE archived(
            user INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            removal INTEGER NOT NULL,
            PRIMARY KEY (user, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX archived_seq ON archived(seq);
        """
}
