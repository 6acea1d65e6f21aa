/// How long the steps of a write, a read and a request take, as histograms. All are observed in microseconds.
///
/// - Confinement: any
package final class DurationMetrics: Sendable {
    /// From the quickest commit to the longest that a client waits for.
    private static let bounds: [Int64] = [
        250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 10_000_000,
    ]

    package let commit = MetricHistogram(
        "commit_duration_seconds", .millionths, bounds: bounds,
        "Time that a transaction took until it was on the disk; in a cluster, until the journal had it.")
    package let commitWrites = MetricHistogram(
        "commit_writes", bounds: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000], "Writes in each transaction.")
    package let write = MetricHistogram(
        "write_duration_seconds", .millionths, bounds: bounds,
        "Time from the arrival of a write until it was committed and its outcome went back to its client.")
    package let read = MetricHistogram(
        "read_duration_seconds", .millionths, bounds: bounds,
        "Time from the arrival of a read until its answer went back to its client.")
    package let deliveryLag = MetricHistogram(
        "delivery_lag_seconds", .millionths, bounds: bounds,
        "Time from a commit until each loop had written its events to the sockets of all its sessions; of several in a turn, from the first."
    )
    package let request = MetricHistogram(
        "http_request_duration_seconds", .millionths, bounds: bounds,
        "Time from the end of an HTTP request until its answer began.")
    package let loopLag = MetricHistogram(
        "loop_lag_seconds", .millionths, bounds: bounds,
        "By how much a timer of each loop was late: for so long nobody else had a turn. Taken once a second.")
    package let search = MetricHistogram(
        "search_duration_seconds", .millionths,
        bounds: [500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 1_000_000],
        "Time of a reader that a search took.")

    init() {}

    /// In the order in which they are shown.
    var families: [MetricFamily] {
        [commit, commitWrites, write, read, deliveryLag, request, loopLag, search].map(\.family)
    }
}
