package import Model

/// The counts of backups, and how the newest one went.
///
/// - Confinement: any
package final class BackupMetrics: Sendable {
    package let completed = Metric(counter: "backups_total", "Completed backups of the database.")
    private let lastSuccess = Metric(
        gauge: "backup_last_success_timestamp_seconds", "When the newest backup since the start was made.")
    private let lastBytes = Metric(gauge: "backup_last_bytes", "Size of the newest backup since the start.")
    private let lastDuration = Metric(
        gauge: "backup_last_duration_milliseconds", "Time that the copy of the newest backup since the start took.")

    init() {}

    /// A copy of the database is complete.
    package func completed(at now: Timestamp, bytes: Int, milliseconds: Int) {
        completed.add(1)
        lastSuccess.set(Int(now.milliseconds / 1000))
        lastBytes.set(bytes)
        lastDuration.set(milliseconds)
    }

    /// How the newest one went; nothing before the first.
    var newest: [Metric.Row] { completed.now > 0 ? [lastSuccess.row, lastBytes.row, lastDuration.row] : [] }
}
