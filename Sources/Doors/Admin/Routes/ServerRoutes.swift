import Authentication
import ClientProtocol
import Configuration
import EventLoop
import Model
import Services
import Store
import Telemetry
import ThreadMessages

/// The whole server: `/v1/audit`, `/v1/backup`, `/v1/stats`.
///
/// - Confinement: any
enum ServerRoutes {
    static let all: [AdminRoute] = [
        AdminRoute(
            "GET", "audit", .read, "audit.list",
            form: RouteForm(
                "What administrators did, newest first.",
                query: [
                    .may("actor", .user), .may("action", .text(1...64, pattern: "^[a-z.-]+$")),
                    .may("target", .text(1...AdminRoute.targetCharactersMax, pattern: #"^[^\u0000]*$"#)), .before,
                    .limit,
                ], [.need("audit", .list(RouteAnswers.audited)), .next])
        ) { call throws(Refusal) in
            .read(ListAudit(try call.auditFilter(), before: call.query("before"), limit: try call.request.limit()))
        },
        AdminRoute(
            "GET", "backup", .data, "backup.get", errands: [.join], isStream: true,
            form: RouteForm("A copy of the database.", .other("application/vnd.sqlite3"))
        ) { call throws(Refusal) in .backup(try call.request.claims(at: call.door, openTo: [.join])) },
        AdminRoute(
            "GET", "stats", .read, "stats.get",
            form: RouteForm(
                "What the database holds, and what the server has counted.", .members(ServerAnswers.statistics))
        ) { call in .read(call.statistics) },
    ]
}

extension AdminCall {
    fileprivate func auditFilter() throws(Refusal) -> AuditFilter {
        let actor = try query("actor", UserID.form) { UserID(admitted: $0) != nil }
        let action = try query("action", "the name of an action, such as trigger.put") { text in
            (1...64).contains(text.utf8.count)
                && text.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == 0x2e || $0 == 0x2d }
        }
        let target = try query("target", "1 to \(AdminRoute.targetCharactersMax) characters") { text in
            (1...AdminRoute.targetCharactersMax).contains(text.unicodeScalars.count)
        }
        return AuditFilter(actor: actor, action: action, target: target)
    }

    fileprivate var statistics: ServerStatistics {
        let settings = door.settings
        return ServerStatistics(
            server: ServerConfiguration.serverName, epoch: settings.opened.epoch, online: door.online.count,
            readiness: Readiness(
                Readiness(of: settings.storage, isDraining: door.isDraining), among: settings.standing.now,
                lagMilliseconds: settings.configuration.cluster.lagReadyMilliseconds, forWrites: false),
            counts: settings.metrics.counted.map { ($0.name, $0.value) },
            retention: settings.metrics.retention.now)
    }
}
