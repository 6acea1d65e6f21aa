import Authentication
import ClientProtocol
import Model
import Notifying
import Services
import Telemetry

/// `/v1/broadcasts…` and `/v1/publish/TOPIC`.
///
/// - Confinement: any
enum BroadcastRoutes {
    /// A text, or texts by language.
    private static func localized(_ text: ValueForm) -> ValueForm {
        .either([text, .named(text, least: 1, names: .languageTag)])
    }

    private static let level = ValueForm.words(InterruptionLevel.allCases.map(\.rawValue))
    private static let audience = ValueForm.either([.words(["everyone", "online"]), .newTopic])

    private static let broadcast: [ValueForm.Member] = [
        .need("id", .id), .need("state", .words(["scheduled", "sending", "sent", "cancelled", "expired"])),
        .need("audience", .sentence), .need("size", .count), .may("title", .sentence), .may("level", level),
        .need("at", .sentence), .need("created", .time), .may("sent", .time), .may("next", .time),
        .may("expires", .time), .need("seq", .position), .need("delivered", .count), .need("queued", .count),
        .need("pushed", .count), .need("skipped", .count), .need("failed", .count), .need("cancelled", .flag),
        .need(
            "progress",
            .object(
                [
                    .need("total", .count), .need("done", .count), .need("failed", .count), .need("share", .fraction),
                ])),
    ]
    private static let sent: [ValueForm.Member] = [
        .may("id", .id), .need("audience", .sentence), .need("size", .count, "The people whom it reaches."),
        .may("seq", .position), .may("dryRun", .flag), .may("state", .sentence), .may("at", .sentence),
    ]

    static let all: [AdminRoute] = [
        AdminRoute(
            "POST", "broadcasts", .publish, "broadcast.send",
            details: ["audience", "level", "collapse", "at", "expires", "dryRun"],
            form: RouteForm(
                "Sends a notification to many, at once or at a time.",
                body: .object([
                    .need("audience", audience, "everyone, online, user:ID, or a topic: its followers."),
                    .mayBeNull(
                        "title", localized(.text(1...Limits.titleCharactersMax)),
                        "A text, or texts by language; it or the body must be there."),
                    .mayBeNull("body", localized(.text(1...Limits.bodyCharactersMax))), .may("level", level),
                    .mayBeNull("data", .data),
                    .mayBeNull(
                        "at", .text(16...35, pattern: #"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}"#),
                        "When it is sent; without an offset or Z, when each person's own clock shows it."),
                    .mayBeNull("expires", .time), .mayBeNull("collapse", .text(1...200)), .may("dryRun", .flag),
                ]), status: 202, links: [.init(action: "broadcast.get", parameter: "id", member: "id")], .members(sent))
        ) { call throws(Refusal) in
            let body = try BroadcastBody(call.request.object())
            let online = call.door.onlineCount
            return body.isDryRun
                ? .read(PreviewBroadcast(body.order, online: online))
                : .write(SendBroadcast(body.order, online: online, key: try call.request.key()))
        },
        AdminRoute(
            "GET", "broadcasts", .read, "broadcast.list",
            form: RouteForm(
                "The broadcasts, newest first.",
                query: [
                    .may("state", .words(["scheduled", "sending", "sent", "cancelled", "expired"])), .before, .limit,
                ], [.need("broadcasts", .list(.object(broadcast))), .next])
        ) { call throws(Refusal) in
            let metrics = call.door.settings.metrics
            return .read(
                try ListBroadcasts(
                    state: call.query("state"), before: call.query("before"), limit: try call.request.limit()
                ) { metrics.deliveries(ofBroadcast: $0) })
        },
        AdminRoute(
            "GET", "broadcasts/{id}", .read, "broadcast.get",
            form: RouteForm("One broadcast, and how far it has come.", .members(broadcast))
        ) { call throws(Refusal) in
            let number = try call.number(of: "broadcast")
            let delivered = Int64(call.door.settings.metrics.deliveries(ofBroadcast: number))
            return .read(ReadBroadcast(id: number, delivered: delivered))
        },
        AdminRoute(
            "DELETE", "broadcasts/{id}", .publish, "broadcast.cancel",
            form: RouteForm("Takes a broadcast back.", [.need("id", .id), .need("cancelled", .flag)])
        ) { call throws(Refusal) in .write(CancelBroadcast(id: try call.number(of: "broadcast"))) },
        AdminRoute(
            "POST", "publish/{topic…}", .publish, "topic.publish",
            form: RouteForm(
                "Notifies the followers of a topic; the body is the text.",
                head: [
                    .may("Title", .text(1...200)), .may("Level", level), .may("Collapse", .text(1...200)),
                    .may("Expires", .time),
                ], body: .text, status: 202, .members(sent))
        ) { call throws(Refusal) in
            let order = try PlainPublication(call.request, to: call.value).order
            return .write(
                SendBroadcast(
                    order, expiresField: "Expires", online: call.door.onlineCount, key: try call.request.key()))
        },
    ]
}
