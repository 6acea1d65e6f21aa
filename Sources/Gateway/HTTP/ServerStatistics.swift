import Execution
internal import Foundation
import JSON
import Model
import Telemetry
import Wire

/// `GET /v1/stats`: what the database holds and what the server has counted since it was started.
///
/// - Confinement: any
struct ServerStatistics: ReadUseCase {
    let server: String
    let epoch: Epoch
    let online: Int
    /// Whether writes are taken, and why not.
    let readiness: Readiness
    let counts: [(name: String, value: Int)]

    func perform(in context: ReadContext) throws -> JSONObject {
        let server: JSONObject = [
            "server": .string(server),
            "pid": .integer(Int64(ProcessInfo.processInfo.processIdentifier)),
            "epoch": .string(epoch.text),
            "ready": .string(readiness.problem ?? "yes"),
            "online": .integer(Int64(online)),
        ]
        let stored = try ReadStatistics().perform(in: context)
        let counted = counts.map { (name: $0.name, value: JSONValue.integer(Int64($0.value))) }
        return JSONObject(distinct: server.members + stored.members + counted)
    }
}

/// `/metrics`: the counts in Prometheus' text format, version 0.0.4.
///
/// - Confinement: any
enum MetricsPage {
    static func text(_ metrics: Metrics) -> String {
        var text = ""
        for metric in metrics.all {
            text += "# HELP watchwise_\(metric.name) \(metric.help)\n"
            text += "# TYPE watchwise_\(metric.name) \(metric.isCounter ? "counter" : "gauge")\n"
            text += "watchwise_\(metric.name) \(metric.value)\n"
        }
        text += "# HELP watchwise_byes_total Connections that the server ended with bye, by close code.\n"
        text += "# TYPE watchwise_byes_total counter\n"
        for (code, count) in metrics.byes { text += "watchwise_byes_total{code=\"\(code)\"} \(count)\n" }
        text += "# HELP watchwise_silenced_total Notifications that devices got without being interrupted, by reason.\n"
        text += "# TYPE watchwise_silenced_total counter\n"
        for reason in Silence.allCases {
            text += "watchwise_silenced_total{reason=\"\(reason.rawValue)\"} \(metrics.silenced[reason])\n"
        }
        return text + triggers(metrics.triggers.all)
    }

    /// The counts of triggers by name. Those that matched least are one line together, so that the page stays short. No
    /// trigger can have that line's name.
    private static func triggers(_ all: [(name: String, counts: TriggerTally.Counts)]) -> String {
        let most = all.sorted { ($0.counts.matched, $1.name) > ($1.counts.matched, $0.name) }
        var lines = most.prefix(TriggerLimits.namedInMetricsMax).sorted { $0.name < $1.name }
        let rest = most.dropFirst(TriggerLimits.namedInMetricsMax).map(\.counts)
        if !rest.isEmpty { lines.append(("(others)", rest.reduce(into: TriggerTally.Counts()) { $0.add($1) })) }
        var text = "# HELP watchwise_trigger_changes_total Changes that match the path of a trigger, by outcome.\n"
        text += "# TYPE watchwise_trigger_changes_total counter\n"
        for (name, counts) in lines {
            let outcomes = [
                ("fired", counts.fired), ("scheduled", counts.scheduled), ("skipped", counts.skippedAll),
                ("failed", counts.failed),
            ]
            for (outcome, count) in outcomes {
                text += "watchwise_trigger_changes_total{trigger=\"\(name)\",outcome=\"\(outcome)\"} \(count)\n"
            }
        }
        text += "# HELP watchwise_trigger_notifications_total Notifications that a trigger wrote.\n"
        text += "# TYPE watchwise_trigger_notifications_total counter\n"
        for (name, counts) in lines {
            text += "watchwise_trigger_notifications_total{trigger=\"\(name)\"} \(counts.notifications)\n"
        }
        return text
    }

    static func response(_ metrics: Metrics) -> HTTPResponse {
        HTTPResponse(
            status: 200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
            body: Array(text(metrics).utf8))
    }
}
