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

    /// Messages change: `rev` counts the forms that a message has had, `changed_seq` is the position of its newest event
    /// `message.edited`, or of `message.deleted`, and `reactions` says how many there are in the table of that name.
    ///
    /// The entry in the log of a message that has changed has no body any more: readers get the message as it is in
    /// `messages`. `past_messages` keeps the texts that edits have replaced and deletions have taken, for reports alone. A
    /// chat is archived by a user while the position in `archived_chats` is after the chat's newest message. The
    /// two indexes lead from a message to the notifications and webhooks that contain its text.
    static let changedMessages = """
        ALTER TABLE messages ADD COLUMN rev INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE messages ADD COLUMN edited INTEGER;
        ALTER TABLE messages ADD COLUMN changed_seq INTEGER;
        ALTER TABLE messages ADD COLUMN deleted INTEGER;
        ALTER TABLE messages ADD COLUMN reactions INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE reactions(
            chat INTEGER NOT NULL,
            n INTEGER NOT NULL,
            emoji TEXT NOT NULL,
            user INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            PRIMARY KEY(chat, n, emoji, user)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE past_messages(
            chat INTEGER NOT NULL,
            n INTEGER NOT NULL,
            rev INTEGER NOT NULL,
            at INTEGER NOT NULL,
            text TEXT,
            product TEXT,
            PRIMARY KEY(chat, n, rev)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX past_messages_at ON past_messages(at);
        CREATE TABLE archived_chats(
            user INTEGER NOT NULL,
            chat INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            PRIMARY KEY(user, chat)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX notifications_gone_path ON notifications(path) WHERE removed IS NOT NULL AND path IS NOT NULL;
        CREATE INDEX webhook_jobs_path ON webhook_jobs(path);
        """
}
