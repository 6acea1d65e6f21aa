package import Model

/// A broadcast as stored.
///
/// - Confinement: any
package struct BroadcastEntry: Sendable {
    package let id: Int64
    /// Position of its notification.
    package let position: Position
    package let audience: String
    /// People it was for when it was sent.
    package let size: Int64
    package let at: Timestamp
    package let isCancelled: Bool
}

/// Broadcasts that an operator sent.
///
/// - Confinement: store
package struct BroadcastTable<Access: ReadAccess>: StoredTable {
    let access: Access

    /// The number that the next broadcast gets.
    package func nextID() throws -> Int64 {
        try access.number("SELECT coalesce(max(id), 0) + 1 FROM broadcasts")
    }

    /// The broadcast of a number; nil when there is none.
    package func find(_ id: Int64) throws -> BroadcastEntry? {
        try access.first("SELECT seq, audience, size, at, cancelled FROM broadcasts WHERE id = ?", [id]) { row in
            let cancelled: Int64? = try row.optional(4)
            return BroadcastEntry(
                id: id,
                position: try row[0],
                audience: try row[1],
                size: try row[2],
                at: try row[3],
                isCancelled: cancelled != nil
            )
        }
    }
}

extension BroadcastTable where Access == WriteAccess {
    /// Keeps a broadcast, under the number that ``nextID()`` gave and the position of its notification.
    package func insert(id: Int64, position: Position, audience: String, size: Int64, at: Timestamp) throws {
        try access.run(
            "INSERT INTO broadcasts(id, seq, audience, size, at) VALUES (?, ?, ?, ?, ?)",
            [id, position.value, audience, size, at.milliseconds]
        )
    }

    /// Marks a broadcast as cancelled; its notification is removed by the caller.
    package func cancel(_ id: Int64, at: Timestamp) throws {
        try access.run("UPDATE broadcasts SET cancelled = ? WHERE id = ?", [at.milliseconds, id])
    }
}
