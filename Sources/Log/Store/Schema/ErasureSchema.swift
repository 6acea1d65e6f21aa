/// The erasures of people.
///
/// - Confinement: any
enum ErasureSchema {
    /// A row is the work of an erasure, and in the end its certificate. `hash` is a keyed digest of the name (the key is a text
    /// of `meta`): the name stands here only until the work is done. `phase` and `place` say how far it has come, `counts` how
    /// many rows of each kind went, `kept` which documents of others the person wrote that stay.
    ///
    /// `left_rooms` has the rooms that somebody was once in: their messages stay there, and there is no index by author.
    static let erasures = """
        CREATE TABLE erasures(
            id INTEGER PRIMARY KEY,
            hash TEXT NOT NULL,
            at INTEGER NOT NULL,
            user INTEGER NOT NULL,
            name TEXT,
            pseudonym TEXT NOT NULL,
            mode TEXT NOT NULL,
            documents TEXT NOT NULL,
            until INTEGER NOT NULL,
            invited INTEGER,
            phase INTEGER NOT NULL,
            place TEXT NOT NULL,
            counts TEXT NOT NULL,
            kept TEXT NOT NULL,
            finished INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX erasures_hash ON erasures(hash, at);
        CREATE TABLE left_rooms(
            user INTEGER NOT NULL,
            chat INTEGER NOT NULL,
            PRIMARY KEY(user, chat)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO left_rooms SELECT DISTINCT user, chat FROM past_rooms;
        CREATE TRIGGER room_left AFTER DELETE ON room_members BEGIN
            INSERT OR IGNORE INTO left_rooms(user, chat) VALUES (OLD.user, OLD.chat);
        END;
        """
}
