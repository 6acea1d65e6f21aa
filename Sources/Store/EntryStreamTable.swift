import GRDB
package import Model

/// The further streams in which an entry of the log lies: a notification whose audience is a list of topics, and its
/// removal.
///
/// The entry has one position, so whoever reads two of its streams meets it once: what merges streams drops a position
/// that it has just had.
///
/// - Confinement: store
package struct EntryStreamTable {
    let database: Database

    /// The streams beside its own in which an entry lies, in the order of their numbers.
    package func streams(of position: Position) throws -> [StreamID] {
        try database.all("SELECT stream FROM entry_streams WHERE seq = ? ORDER BY stream", [position.value]) {
            try StreamID($0[0])
        }
    }

    /// Whether there is any such entry: nearly no database has one, and then nobody looks further.
    func isEmpty() throws -> Bool {
        try database.number("SELECT EXISTS(SELECT 1 FROM entry_streams WHERE seq > 0)") == 0
    }

    /// Whether such an entry lies in a stream.
    func hasAny(in stream: StreamID) throws -> Bool {
        try database.number("SELECT EXISTS(SELECT 1 FROM entry_streams WHERE stream = ?)", [stream.value]) == 1
    }

    /// Has the entry at a position lie in these streams, too.
    func insert(_ position: Position, in streams: [StreamID]) throws {
        for stream in streams {
            try database.run(
                "INSERT INTO entry_streams(stream, seq) VALUES (?, ?)", [stream.value, position.value])
        }
    }

    /// The log is trimmed from one position up to another: what led to its entries goes, but for notifications, which
    /// are kept longer.
    func trim(from: Position, upTo position: Position) throws {
        try database.run(
            """
            DELETE FROM entry_streams WHERE seq > ? AND seq <= ?
            AND NOT EXISTS (SELECT 1 FROM notifications WHERE notifications.seq = entry_streams.seq)
            """,
            [from.value, position.value]
        )
    }

    /// A notification is gone.
    func delete(_ position: Position) throws {
        try database.run("DELETE FROM entry_streams WHERE seq = ?", [position.value])
    }
}
