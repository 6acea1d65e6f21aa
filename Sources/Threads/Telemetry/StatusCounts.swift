import Synchronization

/// How many requests were answered with each status. Every answer is counted, so each status has a relaxed atomic of its own.
///
/// - Confinement: any
package final class StatusCounts: Sendable {
    private static let first = 100
    private let counts = InlineArray<500, Atomic<Int>> { _ in Atomic(0) }

    init() {}

    /// Counts an answer. A status that HTTP does not have counts as 599.
    package func add(_ status: Int) {
        let place = status - Self.first
        counts[counts.indices.contains(place) ? place : counts.count - 1].add(1, ordering: .relaxed)
    }

    /// Those that were given.
    var family: MetricFamily {
        MetricFamily(
            .counter, "http_responses_total", "Answers to HTTP requests, by their status.",
            counts.indices.filter { counts[$0].now > 0 }
                .map { MetricFamily.Sample([("status", "\(Self.first + $0)")], counts[$0].now) })
    }
}
