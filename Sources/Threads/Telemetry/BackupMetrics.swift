package import Model

/// The counts of backups, and how the newest one went.
///
/// - Confinement: any
package final class BackupMetrics: Sendable {
    package let completed = Metric(counter: "backups_total", "Completed backups of the database.")
    package let failed = Metric(counter: "backups_failed_total", "Backups by the server itself that failed.")
    private let interval = Metric(
        gauge: "backup_interval_milliseconds", "Time from one backup by the server itself to the next.")
    private let lastSuccess = Metric(
        gauge: "backup_last_success_timestamp_seconds",
        "When the newest backup was made: since the start, or of those in the folder of the setting backup-to.")
    private let lastBytes = Metric(gauge: "backup_last_bytes", "Size of the newest backup.")
    private let lastDuration = Metric(
        gauge: "backup_last_duration_milliseconds", "Time that the copy of the newest backup since the start took.")

    /// The copies that the server makes by itself.
    package let board = BackupBoard()

    init() {}

    /// A copy of the database is complete.
    package func completed(at now: Timestamp, bytes: Int, milliseconds: Int) {
        completed.add(1)
        lastSuccess.set(Int(now.milliseconds / 1000))
        lastBytes.set(bytes)
        lastDuration.set(milliseconds)
    }

    /// The server makes backups by itself.
    package func setInterval(milliseconds: Int64) { interval.set(Int(milliseconds)) }

    /// The newest one of the folder is of an earlier start.
    package func found(at time: Timestamp, bytes: Int) {
        guard time.milliseconds / 1000 > lastSuccess.now else { return }
        lastSuccess.set(Int(time.milliseconds / 1000))
        lastBytes.set(bytes)
    }

    /// How the newest one went; nothing before the first.
    var newest: [Metric.Row] {
        (lastSuccess.now > 0 ? [lastSuccess.row, lastBytes.row] : [])
            + (completed.now > 0 ? [lastDuration.row] : []) + (interval.now > 0 ? [interval.row] : [])
    }
}
