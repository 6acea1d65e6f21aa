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
    /// The sweeps that have run on this node.
    let retention: [RetentionKind: RetentionMetrics.Row]

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
        let swept = [(name: "retention", value: JSONValue.object(sweeps))]
        return JSONObject(distinct: server.members + stored.members + counted + swept)
    }

    private var sweeps: JSONObject {
        JSONObject(
            RetentionKind.allCases.compactMap { kind in
                guard let row = retention[kind] else { return nil }
                let facts: JSONObject = [
                    "kept": .string(row.kept.map(TimeSpan.text(ofMilliseconds:)) ?? "forever"),
                    "oldest": row.oldest.map { .string($0.text) } ?? .null, "lastRun": .string(row.ran.text),
                    "removed": .integer(Int64(row.removed)),
                ]
                return (name: kind.rawValue, value: .object(facts))
            })
    }
}

/// `/metrics`: the counts in Prometheus' text format, version 0.0.4.
///
/// - Confinement: any
enum MetricsPage {
    /// - Parameters:
    ///   - isMember: whether there are other nodes.
    ///   - now: what is not counted, but so at the moment.
    static func text(_ metrics: Metrics, isMember: Bool = false, now: [Metric.Row] = []) -> String {
        let families =
            (metrics.all + metrics.some + now).map(MetricFamily.init) + [byes(metrics), silenced(metrics)]
            + metrics.labelled
            + metrics.retention.families + metrics.push.families + triggers(metrics.triggers.all)
            + (isMember ? metrics.journal.families : [])
        return families.map(\.text).joined()
    }

    private static func byes(_ metrics: Metrics) -> MetricFamily {
        MetricFamily(
            .counter, "byes_total", "Sessions that the server ended, by close code.",
            metrics.byes.map { MetricFamily.Sample([("code", "\($0.code)")], $0.count) })
    }

    private static func silenced(_ metrics: Metrics) -> MetricFamily {
        MetricFamily(
            .counter, "silenced_total", "Notifications that devices got without being interrupted, by reason.",
            Silence.allCases.map { MetricFamily.Sample([("reason", $0.rawValue)], metrics.silenced[$0]) })
    }

    /// The counts of triggers by name. Those that matched least are one line together, so that the page stays short. No
    /// trigger can have that line's name.
    private static func triggers(_ all: [(name: String, counts: TriggerTally.Counts)]) -> [MetricFamily] {
        let most = all.sorted { ($0.counts.matched, $1.name) > ($1.counts.matched, $0.name) }
        var lines = most.prefix(TriggerLimits.namedInMetricsMax).sorted { $0.name < $1.name }
        let rest = most.dropFirst(TriggerLimits.namedInMetricsMax).map(\.counts)
        if !rest.isEmpty { lines.append(("(others)", rest.reduce(into: TriggerTally.Counts()) { $0.add($1) })) }
        let changes = lines.flatMap { name, counts in
            [
                ("fired", counts.fired), ("scheduled", counts.scheduled), ("skipped", counts.skippedAll),
                ("failed", counts.failed),
            ].map { MetricFamily.Sample([("trigger", name), ("outcome", $0.0)], $0.1) }
        }
        return [
            MetricFamily(
                .counter, "trigger_changes_total", "Changes that match the path of a trigger, by outcome.", changes),
            MetricFamily(
                .counter, "trigger_notifications_total", "Notifications that a trigger wrote.",
                lines.map { MetricFamily.Sample([("trigger", $0.name)], $0.counts.notifications) }),
        ]
    }

    static func response(at door: any RequestDoor) -> HTTPResponse {
        let settings = door.settings
        let isReady = HealthRoutes.readiness(at: door, forWrites: false).problem == nil
        let now: [Metric.Row] = [
            ("ready", false, "1 while /readyz says ready.", isReady ? 1 : 0),
            ("users_online", false, "Users who have a session.", door.online.count),
        ]
        let page = text(settings.metrics, isMember: settings.isMember, now: now)
        return HTTPResponse(
            status: 200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"], body: Array(page.utf8))
    }
}
