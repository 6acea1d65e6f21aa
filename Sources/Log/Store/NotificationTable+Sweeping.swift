import Log
package import Model

extension NotificationTable {
    /// Every notification up to here that was too old has gone.
    private func swept() throws -> Int64 { try access.metaNumber(.notificationsSwept) ?? 0 }

    /// The oldest live notifications, the oldest first.
    package func oldest(limit: Int) throws -> [NotificationEntry] {
        try access.all(
            "\(NotificationEntry.query) WHERE n.seq > ? AND n.removed IS NULL ORDER BY n.seq LIMIT ?",
            [swept(), limit], NotificationEntry.init)
    }

    /// When the oldest live notification was written; nil when there is none.
    package func oldestTime() throws -> Timestamp? { try oldest(limit: 1).first?.at }
}

extension NotificationTable where Access == WriteAccess {
    /// No live notification stands up to a position.
    package func setSwept(_ position: Position) throws {
        try access.setMeta(.notificationsSwept, String(position.value))
    }
}
