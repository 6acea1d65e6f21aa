package import Log
package import Model

/// The runs of triggers, found again in their results: notifications, schedules and dead letters. Nothing is written
/// for a run.
///
/// - Confinement: store
package struct TriggerRunTable: StoredTable {
    package let access: ReadAccess

    /// The results of a trigger for one change.
    package struct Run: Sendable, Hashable {
        /// How it ended.
        package enum Effect: Sendable, Hashable {
            /// Rows of notifications that stand or stood, and how many of them were taken away since.
            case notified(Int64, removed: Int64, first: Position)
            case scheduled(Timestamp)
            case failed(String)
        }

        /// Place of the change that fired it.
        package let change: Position
        /// Path of the document that changed; nil when it was not kept then.
        package let path: String?
        /// When it fired; nil while it waits for its time.
        package let at: Timestamp?
        package let effect: Effect
    }

    /// The newest runs of a trigger for changes before a position, at most `limit`, newest first.
    ///
    /// Costs an index entry for each notification, and a look at every dead letter and at what the trigger has
    /// scheduled.
    package func runs(of trigger: String, before position: Position, limit: Int) throws -> [Run] {
        let all =
            try notified(trigger, position, limit) + scheduled(trigger, position, limit)
            + failed(trigger, position, limit)
        return Array(all.sorted { $0.change > $1.change }.prefix(limit))
    }

    /// The position of a row's last change; nil when there is no such row.
    package func position(ofRow trigger: String) throws -> Position? {
        try access.value("SELECT seq FROM triggers WHERE name = ?", [trigger])
    }

    /// A trigger's schedule for a document: when it is due, and for which change.
    package func schedule(
        of trigger: String,
        path: String
    ) throws -> (due: Timestamp, change: Position)? {
        try access.first(
            "SELECT due, change FROM schedules WHERE trigger = ? AND path = ?",
            [trigger, path]
        ) { row in try (row[0], row[1]) }
    }

    /// Why a trigger failed on a change; nil when it did not.
    package func failure(of trigger: String, on change: Position) throws -> String? {
        try access.value(
            "SELECT reason FROM dead WHERE change = ? AND trigger = ? AND job IS NULL AND push_job IS NULL ORDER BY id DESC LIMIT 1",
            [change.value, trigger]
        )
    }

    /// Whether a trigger has notified anybody of a change.
    package func hasNotified(_ trigger: String, of change: Position) throws -> Bool {
        try access.first(
            "SELECT 1 FROM notifications WHERE trigger = ? AND change = ? LIMIT 1",
            [trigger, change.value]
        ) { row -> Int64 in try row[0] } != nil
    }

    /// The notification that a trigger wrote into a stream for a change, and why it was taken away if it was; by the
    /// recipients' clocks one for each group of time zones.
    package func notifications(
        of trigger: String,
        for change: Position,
        in stream: StreamID
    ) throws -> [(position: Position, removed: String?)] {
        try access.all(
            """
            SELECT seq, removed FROM notifications n WHERE trigger = ?1 AND change = ?2 AND (stream = ?3
            OR others IS NOT NULL AND EXISTS (SELECT 1 FROM entry_streams e WHERE e.stream = ?3 AND e.seq = n.seq))
            ORDER BY seq
            """, [trigger, change.value, stream.value]
        ) { row in try (row[0], row.optional(1)) }
    }

    /// The first notification that a trigger wrote for a change, in whatever stream; nil when it wrote none.
    package func firstNotification(of trigger: String, for change: Position) throws -> Position? {
        try access.value(
            "SELECT min(seq) FROM notifications WHERE trigger = ? AND change = ?",
            [trigger, change.value]
        )
    }

    /// The notifications about a document that a trigger took back in a range of the log, at most `limit`.
    package func retracted(
        by trigger: String,
        from path: String,
        in range: ClosedRange<Int64>,
        limit: Int
    ) throws -> [(position: Position, topic: String)] {
        try access.all(
            """
            SELECT seq, topic FROM notifications WHERE removed_at BETWEEN ? AND ? AND trigger = ? AND path = ?
            AND removed = 'retracted' ORDER BY seq LIMIT ?
            """,
            [range.lowerBound, range.upperBound, trigger, path, limit]
        ) { (try $0[0], try $0[1]) }
    }

    /// Where the notification at a position was taken away; nil when it stands.
    package func removalPlace(of notification: Position) throws -> Position? {
        try access.value("SELECT removed_at FROM notifications WHERE seq = ?", [notification.value])
    }

    /// Why the notification at a position was taken away; nil when it stands.
    package func removal(of notification: Position) throws -> String? {
        try access.value("SELECT removed FROM notifications WHERE seq = ?", [notification.value])
    }

    private func notified(_ trigger: String, _ position: Position, _ limit: Int) throws -> [Run] {
        try access.all(
            """
            SELECT change, min(path), min(at), count(*), count(removed), min(seq) FROM notifications
            WHERE trigger = ? AND change < ? GROUP BY change ORDER BY change DESC LIMIT ?
            """,
            [trigger, position.value, limit]
        ) { row in
            Run(
                change: try row[0],
                path: try row.optional(1),
                at: try row[2],
                effect: .notified(try row[3], removed: try row[4], first: try row[5])
            )
        }
    }

    private func scheduled(_ trigger: String, _ position: Position, _ limit: Int) throws -> [Run] {
        try access.all(
            """
            SELECT change, path, due FROM schedules WHERE trigger = ? AND change < ? ORDER BY change DESC LIMIT ?
            """,
            [trigger, position.value, limit]
        ) { row in
            Run(
                change: try row[0],
                path: try row[1],
                at: nil,
                effect: .scheduled(try row[2])
            )
        }
    }

    private func failed(_ trigger: String, _ position: Position, _ limit: Int) throws -> [Run] {
        try access.all(
            """
            SELECT change, path, at, reason FROM dead
            WHERE trigger = ? AND change < ? AND push_job IS NULL ORDER BY change DESC LIMIT ?
            """,
            [trigger, position.value, limit]
        ) { row in
            Run(
                change: try row[0],
                path: try row[1],
                at: try row[2],
                effect: .failed(try row[3])
            )
        }
    }
}
