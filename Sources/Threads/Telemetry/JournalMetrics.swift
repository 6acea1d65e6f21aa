/// The counts of a node that shares a journal with others; shown on members only.
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
    /// Shown by the node that leads, where it is known.
    package let settingsProblems = Metric(
        gauge: "journal_settings_problems",
        "Settings of the journal and its servers that are not as they must be; -1 where nobody looks.")
    package let unheard = Metric(
        counter: "journal_unheard_total",
        "Times that another server of the journal was tried, since it showed too little of the other nodes.")
    package let foreign = Metric(
        counter: "journal_foreign_total",
        "Messages and entries of the journal that are not signed with the secret of this cluster, and were passed over."
    )
    /// Commands in each entry that this node gave to the journal.
    package let entryCommands = MetricHistogram(
        "journal_entry_commands", bounds: [1, 2, 5, 10, 25, 50, 100, 250, 500],
        "Commands in each entry that this node gave to the journal.")
    /// Bytes of each of these entries, all of its parts together.
    package let entryBytes = MetricHistogram(
        "journal_entry_bytes", bounds: [512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304],
        "Bytes of each entry that this node gave to the journal.")
    /// The time for which the writer waited until the journal had an entry.
    package let publishMilliseconds = MetricHistogram(
        "journal_publish_seconds", .thousandths, bounds: [1, 2, 3, 5, 10, 25, 50, 100, 250, 500, 1000, 5000],
        "Time until the journal had stored an entry of this node, or had refused it.")

    /// The time for which the thread that flushes a member's commits waited for the disk.
    package let flushMilliseconds = MetricHistogram(
        "journal_flush_seconds", .thousandths, bounds: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 5000],
        "Time until the disk of this node had the commits of the last second.")

    init() { settingsProblems.set(-1) }

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
            diverged.row, forwarded.row, reconnects.row, unreadableMessages.row, unheard.row, foreign.row,
            settingsProblems.row,
        ].map(MetricFamily.init) + [entryCommands, entryBytes, publishMilliseconds, flushMilliseconds].map(\.family)
    }
}
