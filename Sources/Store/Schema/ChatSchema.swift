/// Chats and their messages.
///
/// - Confinement: any
enum ChatSchema {
    static let chats = """
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

    /// Position of the newest event that was logged in a chat's own stream. Events from before this migration lie in
    /// the inboxes of its members.
    static let chatStreams = """
        ALTER TABLE chats ADD COLUMN last_event INTEGER NOT NULL DEFAULT 0;
        """

    /// A message's entry in the log has the number that it has in its chat, and is found by it in `messages`, whose
    /// positions ascend with the numbers: so it needs no place in an index by stream. Entries from before have no
    /// number.
    static let numberedEntries = """
        ALTER TABLE changes ADD COLUMN n INTEGER;
        DROP INDEX changes_stream;
        CREATE INDEX changes_stream ON changes(stream, seq) WHERE n IS NULL;
        INSERT INTO meta(name, value) SELECT 'numbered_from', CAST(coalesce(max(seq), 0) AS TEXT) FROM changes;
        """

    /// Before a recommendation is sent, those that its reader has not seen yet are counted.
    static let unseenRecommendations = """
        CREATE INDEX messages_unseen ON messages(chat, author) WHERE seen = 0;
        """
}
