package import Model
import Synchronization

/// The last sweep of each kind of rows that are kept for a time; a member that does not lead has run none.
///
/// - Confinement: any
package final class RetentionMetrics: Sendable {
    /// How one kind stood after its last run.
    ///
    /// - Confinement: any
    package struct Row: Sendable, Hashable {
        package var ran: Timestamp
        /// The time of the oldest row that was left; nil without any.
        package var oldest: Timestamp?
        /// Rows that went since the server was started.
        package var removed = 0
        /// Milliseconds for which rows are kept; nil for ever.
        package var kept: Int64?

        /// For how many seconds the oldest row should have been gone.
        package var overdueSeconds: Int {
            guard let kept, let oldest else { return 0 }
            return Int(max(0, ran.milliseconds - oldest.milliseconds - kept) / 1000)
        }
    }

    private let rows = Mutex<[RetentionKind: Row]>([:])

    init() {}

    /// A sweep of a kind has run.
    package func note(_ kind: RetentionKind, at now: Timestamp, oldest: Timestamp?, removed: Int, kept: Int64?) {
        rows.withLock {
            let before = $0[kind]?.removed ?? 0
            $0[kind] = Row(ran: now, oldest: oldest, removed: before + removed, kept: kept)
        }
    }

    /// The kinds whose sweeps have run here.
    package var now: [RetentionKind: Row] { rows.withLock { $0 } }

    package var families: [MetricFamily] {
        let all = RetentionKind.allCases.compactMap { kind in now[kind].map { (kind.rawValue, $0) } }
        let samples = { (value: (Row) -> Int) in all.map { MetricFamily.Sample([("kind", $0.0)], value($0.1)) } }
        return [
            MetricFamily(
                .counter, "retention_removed_total", "Rows that went because they were older than their retention.",
                samples(\.removed)),
            MetricFamily(
                .gauge, "retention_last_run_timestamp_seconds", "When the sweep of a kind of rows has run last.",
                samples { Int($0.ran.milliseconds / 1000) }),
            MetricFamily(
                .gauge, "retention_overdue_seconds", "How long the oldest row of a kind should have been gone.",
                samples(\.overdueSeconds)),
        ]
    }
}
