/// The counts of a node's part in the cluster; shown on members only.
///
/// - Confinement: any
package final class JournalMetrics: Sendable {
    private let term = Metric(gauge: "journal_term", "Number of the leadership of the newest entry read.")
    private let leading = Metric(gauge: "journal_leading", "1 while this node leads.")
    private let applied = Metric(gauge: "journal_applied", "Newest entry of the journal that the database has.")
    private let lagEntries = Metric(gauge: "journal_lag_entries", "Entries of the journal that the database lacks.")
    private let lagMilliseconds = Metric(
        gauge: "journal_lag_milliseconds", "Time for which the database has lacked the oldest of these entries.")
    /// Transactions that the journal did not take.
    package let fenced = Metric(
        counter: "journal_fenced_total", "Transactions rolled back because another node led, or this one might not.")
    package let unknown = Metric(
        counter: "journal_unknown_total", "Transactions rolled back because the journal did not answer.")
    package let diverged = Metric(
        counter: "journal_diverged_total", "Entries that could not be applied: the database is not that of the others.")
    package let forwarded = Metric(
        counter: "journal_forwarded_total", "Writes of this node's clients handed to the node that leads.")
    package let reconnects = Metric(counter: "journal_reconnects_total", "Connections to the journal after the first.")
    package let unreadableMessages = Metric(
        counter: "journal_unreadable_messages_total", "Messages of other nodes that this program cannot read.")
    package let publishMicroseconds = MetricHistogram(
        "journal_publish_microseconds",
        bounds: [500, 1_000, 2_000, 5_000, 10_000, 25_000, 100_000, 500_000, 2_500_000],
        "Time from publishing an entry to the journal's acknowledgement.")
    package let entryBytes = MetricHistogram(
        "journal_entry_bytes", bounds: [500, 2_000, 10_000, 50_000, 250_000, 1_000_000, 4_000_000, 16_000_000],
        "Size of the entries that this node wrote.")
    package let entryCommands = MetricHistogram(
        "journal_entry_commands", bounds: [1, 2, 5, 10, 25, 50, 100, 250, 500],
        "Commands in the entries that this node wrote.")

    init() {}

    /// Shows how the node stands.
    package func show(_ facts: NodeStanding.Facts) {
        term.set(Int(clamping: facts.term))
        leading.set(facts.role == .leading ? 1 : 0)
        applied.set(Int(clamping: facts.applied))
        lagEntries.set(Int(clamping: facts.last - min(facts.last, facts.applied)))
        lagMilliseconds.set(Int(clamping: facts.lagMilliseconds))
    }

    /// In the order in which they are shown.
    package var families: [MetricFamily] {
        [
            term.row, leading.row, applied.row, lagEntries.row, lagMilliseconds.row, fenced.row, unknown.row,
            diverged.row, forwarded.row, reconnects.row, unreadableMessages.row,
        ].map(MetricFamily.init) + [publishMicroseconds, entryBytes, entryCommands].map(\.family)
    }
}
