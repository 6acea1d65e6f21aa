/// Keeps a user's rows bounded, and keeps counts for users who follow much.
///
/// `users.follows` is their number. `topic_counts` holds what a user with many follows has not seen, as of a
/// position; those taken away since are found by `notifications.removed_at`, the position of the removal. Large
/// versions of documents say their size, which is added up by path and by writer; bytes of keys are added up by
/// user as far as the row `keys_counted` of `meta` says, under -1 for all together. Triggers take off what is
/// deleted.
///
/// - Confinement: any
enum BoundsSchema {
    static let bounds = """
        ALTER TABLE users ADD COLUMN follows INTEGER NOT NULL DEFAULT 0;
        UPDATE users SET follows = (SELECT count(*) FROM follows WHERE follower = users.id)
            WHERE id IN (SELECT DISTINCT follower FROM follows);
        CREATE TABLE topic_counts(
            user INTEGER PRIMARY KEY,
            up_to INTEGER NOT NULL,
            unread INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX topic_counts_up_to ON topic_counts(up_to);
        ALTER TABLE notifications ADD COLUMN removed_at INTEGER;
        UPDATE notifications SET removed_at = seq WHERE removed IS NOT NULL;
        DROP INDEX notifications_removed;
        CREATE INDEX notifications_removed_at ON notifications(removed_at) WHERE removed_at IS NOT NULL;

        CREATE INDEX streams_unfollowed ON streams(id) WHERE followers = 0 AND substr(name, 1, 1) <> '@';
        CREATE INDEX past_follows_stream ON past_follows(stream);

        ALTER TABLE document_versions ADD COLUMN bytes INTEGER;
        UPDATE document_versions SET bytes = length(CAST(before AS BLOB)) WHERE length(before) > 1024;
        CREATE INDEX document_versions_large ON document_versions(seq) WHERE bytes IS NOT NULL;
        CREATE INDEX document_versions_writer ON document_versions(by, seq) WHERE bytes IS NOT NULL;
        CREATE TABLE version_bytes(owner TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        INSERT INTO version_bytes SELECT 'path ' || path, sum(bytes) FROM document_versions
            WHERE bytes IS NOT NULL GROUP BY path;
        INSERT INTO version_bytes SELECT 'by ' || by, sum(bytes) FROM document_versions
            WHERE bytes IS NOT NULL GROUP BY by;
        INSERT INTO version_bytes SELECT 'all', sum(bytes) FROM document_versions
            WHERE bytes IS NOT NULL HAVING sum(bytes) > 0;
        CREATE TRIGGER version_gone AFTER DELETE ON document_versions WHEN OLD.bytes IS NOT NULL BEGIN
            UPDATE version_bytes SET bytes = bytes - OLD.bytes
                WHERE owner IN ('all', 'by ' || OLD.by, 'path ' || OLD.path);
            DELETE FROM version_bytes WHERE owner IN ('by ' || OLD.by, 'path ' || OLD.path) AND bytes <= 0;
        END;

        CREATE TABLE key_bytes(user INTEGER PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
        CREATE INDEX key_bytes_most ON key_bytes(bytes);
        INSERT INTO meta(name, value) VALUES ('keys_counted', '0');
        CREATE TRIGGER key_gone AFTER DELETE ON keys
            WHEN OLD.id <= (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'keys_counted') BEGIN
            UPDATE key_bytes SET bytes = bytes - (64 + length(OLD.key) + length(CAST(OLD.reply AS BLOB)))
                WHERE user IN (-1, OLD.user);
            DELETE FROM key_bytes WHERE user = OLD.user AND bytes <= 0;
        END;
        """

    /// A key gets the number after the newest one's. When the newest keys went, with a person who was erased, new ones got numbers that
    /// were counted already: their bytes were never added up, but taken off. Now `keys_counted` goes back with them. All are
    /// added up again.
    static let countedKeysThatGo = """
        DROP TRIGGER key_gone;
        DELETE FROM key_bytes;
        UPDATE meta SET value = '0' WHERE name = 'keys_counted';
        CREATE TRIGGER key_gone AFTER DELETE ON keys
            WHEN OLD.id <= (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'keys_counted') BEGIN
            UPDATE key_bytes SET bytes = bytes - (64 + length(OLD.key) + length(CAST(OLD.reply AS BLOB)))
                WHERE user IN (-1, OLD.user);
            DELETE FROM key_bytes WHERE user = OLD.user AND bytes <= 0;
            UPDATE meta SET value = coalesce((SELECT max(id) FROM keys), 0)
                WHERE name = 'keys_counted' AND CAST(value AS INTEGER) > coalesce((SELECT max(id) FROM keys), 0);
        END;
        """
}
