import Authentication
import ClientProtocol
import Configuration
import EventLoop
import JSON
import Model
import Services
import Store
import Telemetry
import ThreadMessages

/// The whole server: `/v1/audit`, `/v1/backup`, `/v1/backups`, `/v1/stats`.
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
            "GET", "backups", .read, "backup.list",
            form: RouteForm(
                "The copies that the server makes by itself, the newest first.", .members(ServerAnswers.backups))
        ) { call in .now(.json(call.copies, status: 200)) },
        AdminRoute(
            "POST", "backups", .operate, "backup.make",
            form: RouteForm("Makes a copy now.", status: 202, [.need("started", .yes)])
        ) { call throws(Refusal) in
            guard call.door.settings.configuration.backups.folder != nil else {
                throw Refusal(.conflict, "this server makes no copies by itself: it was started without --backup-to")
            }
            let mailbox = call.door.settings.mail.backups
            return .effect {
                mailbox.post(.copyNow)
                return .json(["started": true], status: 202)
            }
        },
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

    /// How copies are made, and those that are kept.
    fileprivate var copies: JSONObject {
        let settings = door.settings.configuration.backups
        let now = door.settings.metrics.backups.board.now
        return [
            "folder": settings.folder.map { .string($0) } ?? .null,
            "every": .string(TimeSpan.text(ofMilliseconds: settings.everyMilliseconds)),
            "keep": .integer(Int64(settings.keep)), "verified": .bool(settings.verifies),
            "running": now.runsSince.map { .string($0.text) } ?? .null,
            "failed": now.failure.map { ["at": .string($0.at.text), "reason": .string($0.reason)] } ?? .null,
            "backups": .array(
                now.copies.map { copy in
                    [
                        "name": .string(copy.name), "at": .string(copy.at.text), "bytes": .integer(Int64(copy.bytes)),
                        "secrets": .bool(copy.hasSecrets),
                    ]
                }),
        ]
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
