import EventLoop

/// How late a loop is: with the events of commits, and with its timer.
///
/// - Confinement: loop
package final class LoopTimes {
    private static let second: Int64 = 1_000_000
    private let durations: DurationMetrics
    /// When the first commit was published whose events this turn writes; 0 when it writes none.
    private var publishedAt: Int64 = 0
    private var secondDueAt = BootClock.microseconds + second

    package init(_ metrics: Metrics) { durations = metrics.durations }

    /// A commit is being delivered, which was published at this time of `BootClock`.
    package func delivers(publishedAt time: Int64) { if publishedAt == 0 { publishedAt = time } }

    /// The turn has written all to the sockets.
    package func turnFlushed() {
        guard publishedAt != 0 else { return }
        durations.deliveryLag.observe(BootClock.microseconds - publishedAt)
        publishedAt = 0
    }

    /// The timer of each second fires. A turn that lasts long holds it up, as it does all clients.
    package func eachSecond() {
        let now = BootClock.microseconds
        durations.loopLag.observe(now - secondDueAt)
        secondDueAt = now + Self.second
    }
}

@available(*, unavailable)
extension LoopTimes: Sendable {}
