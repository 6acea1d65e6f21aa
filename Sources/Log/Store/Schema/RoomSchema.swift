import Log

/// Rooms: chats with many members, of which each message is one row.
///
/// - Confinement: any
enum RoomSchema {
    /// A room is a chat with a row here, and each of its members has a row in `members` and one in `room_members`. For a
    /// member of a room, `members.unread` is what is to be added to `chats.last - members.read`: minus the messages of the
    /// member's own. So a message changes the row of its author alone.
    ///
    /// `since` is the position after which a member reads the room's stream, and `first` the number of the first message
    /// after it. `past_rooms` has the same for memberships that have ended, while the log holds their entries.
    /// `room_deletions` has the numbers of deleted messages, which count no more. `room_changes` has, for the entries that
    /// change an earlier message, the position of that message: who has joined after it does not get them.
    static let rooms = """
        CREATE TABLE rooms(
            chat INTEGER PRIMARY KEY,
            title TEXT NOT NULL,
            open INTEGER NOT NULL,
            posting TEXT NOT NULL,
            history TEXT NOT NULL,
            pace INTEGER NOT NULL,
            members INTEGER NOT NULL DEFAULT 0,
            created INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX rooms_open ON rooms(chat) WHERE open = 1 AND members > 0;
        CREATE TABLE room_members(
            chat INTEGER NOT NULL,
            user INTEGER NOT NULL,
            role TEXT NOT NULL,
            since INTEGER NOT NULL,
            first INTEGER NOT NULL,
            joined INTEGER NOT NULL,
            muted INTEGER,
            sent INTEGER,
            PRIMARY KEY(chat, user)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX room_members_user ON room_members(user, chat);
        CREATE TABLE room_bans(
            chat INTEGER NOT NULL,
            user INTEGER NOT NULL,
            at INTEGER NOT NULL,
            until INTEGER,
            reason TEXT,
            PRIMARY KEY(chat, user)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE past_rooms(
            user INTEGER NOT NULL,
            until INTEGER NOT NULL,
            chat INTEGER NOT NULL,
            since INTEGER NOT NULL,
            PRIMARY KEY(user, until)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX past_rooms_until ON past_rooms(until);
        CREATE TABLE room_deletions(
            chat INTEGER NOT NULL,
            n INTEGER NOT NULL,
            PRIMARY KEY(chat, n)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE room_changes(
            seq INTEGER PRIMARY KEY,
            message INTEGER NOT NULL
        ) STRICT;
        ALTER TABLE users ADD COLUMN rooms INTEGER NOT NULL DEFAULT 0;
        """

    /// The restraints of those who have left a room, for their next membership: until when they are muted, and when they
    /// sent their newest message, for the pace.
    static let keptRestraints = """
        CREATE TABLE room_restraints(
            chat INTEGER NOT NULL,
            user INTEGER NOT NULL,
            muted INTEGER,
            sent INTEGER,
            PRIMARY KEY(chat, user)
        ) STRICT, WITHOUT ROWID;
        """

    /// `willing` is 1 for those who have made or joined the room themselves, or have written in it; the others were brought
    /// in. Of memberships from before, only the writing is known.
    static let willingMembers = """
        ALTER TABLE room_members ADD COLUMN willing INTEGER NOT NULL DEFAULT 0;
        UPDATE room_members SET willing = 1 WHERE (chat, user) IN
            (SELECT chat, author FROM messages WHERE chat IN (SELECT chat FROM rooms));
        """

    /// An invitation waits for its person's answer; a row without an inviter is the no of somebody who declined or has left.
    /// A person has one row for a room.
    static let invitations = Migration.table(
        .roomInvitations,
        """
        chat INTEGER NOT NULL,
        user INTEGER NOT NULL,
        inviter INTEGER,
        at INTEGER NOT NULL,
        PRIMARY KEY(chat, user)
        """)

    /// `shown` is the number from which on messages exist for everybody in a room with `history` `all`. `firm` is 1 for a ban
    /// that an owner made; of bans from before nothing is known.
    static let asking = """
        CREATE UNIQUE INDEX room_invitations_user ON room_invitations(user, chat);
        CREATE INDEX room_invitations_inviter ON room_invitations(inviter) WHERE inviter IS NOT NULL;
        ALTER TABLE rooms ADD COLUMN shown INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE room_bans ADD COLUMN firm INTEGER NOT NULL DEFAULT 0;
        """

    /// Finds the invitations that nobody has answered in time.
    static let waiting = """
        CREATE INDEX room_invitations_waiting ON room_invitations(at, chat, user) WHERE inviter IS NOT NULL;
        """
}
