package import Model

/// The counts of pushes.
///
/// - Confinement: any
package final class PushMetrics: Sendable {
    /// As of the last look of the sender.
    package let pending = Metric(gauge: "push_jobs_pending", "Push jobs that have not ended.")
    private let sent = LabelledMetric(
        .counter, "push_sent_total", labels: ["platform", "status"],
        "Requests to push services, by the status of the answer; none if there was no answer.")
    private let skips = LabelledMetric(
        .counter, "push_skipped_total", labels: ["reason"], "Devices that a push was not sent to, by reason.")
    private let devices = LabelledMetric(
        .gauge, "push_devices", labels: ["platform"], known: platforms, "Devices that registered for pushes.")
    private let removals = LabelledMetric(
        .counter, "push_devices_removed_total", labels: ["platform", "reason"],
        "Devices that the server removed: the status of the push service's last answer, or the reason in a word.")
    private let waits = LabelledMetric(
        .gauge, "push_platform_waiting", labels: ["platform"], known: platforms,
        "Push services that get nothing at present, because they or a key do not work.")
    private let answerMilliseconds = LabelledMetric(
        .counter, "push_answer_milliseconds_total", labels: ["platform"], known: platforms,
        "Total time until the answers of push services were complete.")
    /// Milliseconds from the commit to the answer, of first tries that were taken.
    package let delay = MetricHistogram(
        "push_delay_seconds", .thousandths, bounds: [10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 60_000],
        "Time from the commit until a push service had taken the first try of a push.")

    private static let platforms = PushPlatform.allCases.map { [$0.rawValue] }
    /// Statuses with a line of their own; others share that of their class, for a push service can answer anything.
    private static let statuses: Set = [
        200, 201, 202, 204, 400, 401, 403, 404, 405, 410, 413, 429, 500, 502, 503, 504, 507,
    ]

    init() {}

    /// The word for a status: `410`, `4xx`, `none`.
    package static func word(of status: Int?) -> String {
        guard let status else { return "none" }
        if statuses.contains(status) { return String(status) }
        return (100...599).contains(status) ? "\(status / 100)xx" : "other"
    }

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - status: of the answer; nil when there was none.
    ///   - milliseconds: from the request to the end of the answer.
    package func sent(to platform: PushPlatform, status: Int?, milliseconds: Int64) {
        sent.add(1, platform.rawValue, Self.word(of: status))
        if status != nil { answerMilliseconds.add(Int(milliseconds), platform.rawValue) }
    }

    /// Counts devices that do not get a push.
    ///
    /// - Parameter reason: In a word, such as `on-screen`.
    package func skipped(_ reason: String, count: Int = 1) { skips.add(count, reason) }

    /// Counts a device that the server removed.
    ///
    /// - Parameter reason: ``word(of:)`` of the answer that ended it, else a word such as `unused`.
    package func removed(from platform: PushPlatform, reason: String) { removals.add(1, platform.rawValue, reason) }

    /// Notes the number of registered devices of a platform.
    package func setDevices(_ count: Int, of platform: PushPlatform) { devices.set(count, platform.rawValue) }

    /// Notes how many push services of a platform get nothing at present; APNs and FCM have one.
    package func setWaiting(_ count: Int, of platform: PushPlatform) { waits.set(count, platform.rawValue) }

    /// All but ``pending``, in the order in which they are shown.
    package var families: [MetricFamily] {
        [sent, skips, devices, removals, waits, answerMilliseconds].map(\.family) + [delay.family]
    }
}
