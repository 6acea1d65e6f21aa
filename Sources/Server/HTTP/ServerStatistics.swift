internal import Foundation
import JSON
import Model
import Services
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

    func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        reply.member("server", server)
        reply.member("pid", Int64(ProcessInfo.processInfo.processIdentifier))
        reply.member("epoch", epoch.text)
        reply.member("ready", readiness.problem ?? "yes")
        reply.member("online", online)
        try ReadStatistics().perform(in: context, reply: &reply)
        for count in counts { reply.member(count.name, count.value) }
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
        text += "# HELP watchwise_byes_total Connections that were told goodbye, by close code.\n"
        text += "# TYPE watchwise_byes_total counter\n"
        for (code, count) in metrics.byes { text += "watchwise_byes_total{code=\"\(code)\"} \(count)\n" }
        text += "# HELP watchwise_silenced_total Notifications that a device got without being interrupted.\n"
        text += "# TYPE watchwise_silenced_total counter\n"
        for reason in Silence.allCases {
            text += "watchwise_silenced_total{reason=\"\(reason.rawValue)\"} \(metrics.silenced[reason])\n"
        }
        return text
    }

    static func response(_ metrics: Metrics) -> HTTPResponse {
        HTTPResponse(
            status: 200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
            body: Array(text(metrics).utf8))
    }
}
