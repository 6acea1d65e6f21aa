/// The counts of a node that shares a journal with others.
///
/// - Confinement: any
package final class JournalMetrics: Sendable {
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
        "journal_publish_milliseconds", bounds: [1, 2, 3, 5, 10, 25, 50, 100, 250, 500, 1000, 5000],
        "Time until the journal had stored an entry of this node, or had refused it.")

    init() {}

    /// The families, in the order in which they are shown.
    package var families: [MetricFamily] { [entryCommands, entryBytes, publishMilliseconds].map(\.family) }
}
