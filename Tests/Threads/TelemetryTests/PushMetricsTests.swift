import Model
import Testing
@testable import Telemetry

struct PushMetricsTests {
    private let metrics = PushMetrics()

    private var lines: [String] {
        metrics.families.map(\.text).joined().split(separator: "\n").map(String.init)
    }

    @Test func `requests count by platform and status, and answers with their time`() {
        metrics.sent(to: .webpush, status: 201, milliseconds: 30)
        metrics.sent(to: .webpush, status: 201, milliseconds: 12)
        metrics.sent(to: .apns, status: nil, milliseconds: 20_000)
        #expect(lines.contains("watchwise_push_sent_total{platform=\"webpush\",status=\"201\"} 2"))
        #expect(lines.contains("watchwise_push_sent_total{platform=\"apns\",status=\"none\"} 1"))
        #expect(lines.contains("watchwise_push_answer_seconds_total{platform=\"webpush\"} 0.042"))
        #expect(lines.contains("watchwise_push_answer_seconds_total{platform=\"apns\"} 0.0"))
    }

    @Test(arguments: [
        (200, "200"), (410, "410"), (418, "4xx"), (301, "3xx"), (999, "other"), (-1, "other"), (nil, "none"),
    ])
    func `a status that no push service documents shares the line of its class`(_ status: Int?, _ word: String) {
        #expect(PushMetrics.word(of: status) == word)
    }

    @Test func `skips, devices, removals and waits are shown by their labels`() {
        metrics.skipped("on-screen", count: 3)
        metrics.setDevices(7, of: .fcm)
        metrics.removed(from: .apns, reason: PushMetrics.word(of: 410))
        metrics.setWaiting(1, of: .apns)
        metrics.setWaiting(0, of: .apns)
        #expect(lines.contains("watchwise_push_skipped_total{reason=\"on-screen\"} 3"))
        #expect(lines.contains("watchwise_push_devices{platform=\"fcm\"} 7"))
        #expect(lines.contains("watchwise_push_devices{platform=\"webpush\"} 0"))
        #expect(lines.contains("watchwise_push_devices_removed_total{platform=\"apns\",reason=\"410\"} 1"))
        #expect(lines.contains("watchwise_push_platform_waiting{platform=\"apns\"} 0"))
        #expect(lines.contains("# TYPE watchwise_push_platform_waiting gauge"))
        #expect(lines.contains("# TYPE watchwise_push_skipped_total counter"))
    }

    @Test func `delays are a histogram whose counts include the shorter ones`() {
        for milliseconds: Int64 in [-5, 10, 11, 60_000, 60_001] { metrics.delay.observe(milliseconds) }
        let shown = lines.filter { $0.hasPrefix("watchwise_push_delay_seconds") }
        #expect(shown.first == "watchwise_push_delay_seconds_bucket{le=\"0.01\"} 2")
        #expect(shown.contains("watchwise_push_delay_seconds_bucket{le=\"0.025\"} 3"))
        #expect(shown.contains("watchwise_push_delay_seconds_bucket{le=\"60.0\"} 4"))
        #expect(
            shown.suffix(3) == [
                "watchwise_push_delay_seconds_bucket{le=\"+Inf\"} 5",
                "watchwise_push_delay_seconds_sum 120.022",
                "watchwise_push_delay_seconds_count 5",
            ])
    }

    @Test func `when there are too many values, the new ones share one line`() {
        let metric = LabelledMetric(.counter, "n", labels: ["a", "b"], "N.")
        for number in 0..<LabelledMetric.combinationsMax + 5 { metric.add(1, "a", "\(number)") }
        metric.add(1, "a", "0")
        #expect(metric.count("other", "other") == 5)
        #expect(metric.count("a", "0") == 2)
        #expect(metric.family.samples.count == LabelledMetric.combinationsMax + 1)
    }

    @Test func `a value cannot end its line`() {
        let metric = LabelledMetric(.gauge, "n", labels: ["a"], known: [["x"]], "N.")
        metric.set(1, "q\"\\\n{")
        #expect(
            metric.family.text == """
                # HELP watchwise_n N.
                # TYPE watchwise_n gauge
                watchwise_n{a="q\\"\\\\\\n{"} 1
                watchwise_n{a="x"} 0

                """)
    }
}
