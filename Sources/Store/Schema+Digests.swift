extension Schema {
    /// What the digests that stand in inboxes are about: when one of these notifications is taken back or replaced, the
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

    /// A notification may be for those alone whom no other stream has notified: `told_streams` has the other streams,
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
}
