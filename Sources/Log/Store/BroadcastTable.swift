package import Log
package import Model

/// Broadcasts that an operator sent, or that wait for their time.
///
/// - Confinement: store
package struct BroadcastTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// The number that the next broadcast gets.
    package func nextID() throws -> Int64 {
        try access.number("SELECT coalesce(max(id), 0) + 1 FROM broadcasts")
    }

    /// The broadcast of a number; nil when there is none.
    package func find(_ id: Int64) throws -> BroadcastEntry? {
        try access.first(BroadcastEntry.query + " WHERE id = ?", [id], BroadcastEntry.init)
    }

    /// A page of broadcasts, the newest first.
    ///
    /// - Parameters:
    ///   - state: nil for all.
    ///   - number: the number before which the page begins.
    package func page(
        _ state: BroadcastEntry.State?, before number: Int64, limit: Int
    ) throws -> [BroadcastEntry] {
        let condition = state.map { "\($0.condition) AND " } ?? ""
        return try access.all(
            BroadcastEntry.query + " WHERE \(condition)id < ? ORDER BY id DESC LIMIT ?", [number, limit],
            BroadcastEntry.init)
    }

    /// Broadcasts of which something is due, the earliest first.
    package func due(at now: Timestamp, limit: Int) throws -> [BroadcastEntry] {
        try access.all(
            BroadcastEntry.query + " WHERE due <= ? ORDER BY due, id LIMIT ?", [now.milliseconds, limit],
            BroadcastEntry.init)
    }

    /// When the next broadcast is due; nil when none waits.
    package func nextDue() throws -> Timestamp? {
        try access.value("SELECT min(due) FROM broadcasts WHERE due IS NOT NULL")
    }

    /// The number of broadcasts that wait.
    package func countWaiting() throws -> Int64 {
        try access.number("SELECT count(*) FROM broadcasts WHERE due IS NOT NULL")
    }
}

extension BroadcastTable where Access == WriteAccess {
    /// Keeps a broadcast that is to be sent, under the number that ``nextID()`` gave.
    ///
    /// - Parameter position: of the write.
    package func insert(
        id: Int64, position: Position, audience: String, size: Int64, at: Timestamp, due: Timestamp, wanted: String
    ) throws {
        try access.run(
            "INSERT INTO broadcasts(id, seq, audience, size, at, due, wanted) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [id, position.value, audience, size, at.milliseconds, due.milliseconds, wanted]
        )
    }

    /// Notes that something of a broadcast was sent, and when the next is due.
    ///
    /// - Parameters:
    ///   - positions: of all its notifications; empty for one that has none.
    ///   - sent: nil when nothing of it was sent so far.
    ///   - due: nil when nothing waits any more.
    package func note(
        _ id: Int64, positions: [Position], size: Int64, sent: Timestamp?, due: Timestamp?
    ) throws {
        let earlier = positions.dropLast().map { String($0.value) }.joined(separator: " ")
        try access.run(
            """
            UPDATE broadcasts SET seq = coalesce(?, seq), earlier = ?, size = ?, sent = ?, due = ? WHERE id = ?
            """,
            [
                positions.last?.value, earlier.isEmpty ? nil : earlier, size, sent?.milliseconds, due?.milliseconds, id,
            ]
        )
    }

    /// Marks a broadcast as cancelled, so that nothing more of it is sent; its notifications are removed by the caller.
    package func cancel(_ id: Int64, at: Timestamp) throws {
        try access.run("UPDATE broadcasts SET cancelled = ?, due = NULL WHERE id = ?", [at.milliseconds, id])
    }
}
