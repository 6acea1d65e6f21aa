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
    private static let kind = ValueForm.text(1...PreferenceLimits.kindCharactersMax, pattern: "^[a-z0-9.-]+$")
    private static let listed = ValueForm.text(
        3...250, pattern: "^(everyone|online|user:.+|room:.+|role:.+|followers:.+|[a-z]{1,32}:[A-Za-z0-9_.@/-]{1,200})$"
    )
    private static let audience = ValueForm.either([.words(["everyone", "online"]), .newTopic])

    private static let broadcast: [ValueForm.Member] = [
        .need("id", .id), .need("state", .words(["scheduled", "sending", "sent", "cancelled", "expired"])),
        .need("audience", .sentence), .may("audiences", .list(.sentence)), .may("except", .list(.sentence)),
        .need("size", .count), .may("title", .sentence), .may("kind", .sentence),
        .may("level", level),
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
        .may(
            "reach",
            .object([
                .need("people", .count, "Those of this slice that get it."),
                .need("keptOut", .count, "Banned, or with a closed account: they get nothing."),
                .need("online", .count), .need("withDevice", .count), .need("quietHours", .count),
                .need("muted", .count), .need("level", .count), .need("digest", .count),
            ]), "Of a dry run: how a slice of the people would get it."),
        .may(
            "languages",
            .list(
                .object([.need("language", .sentence), .need("text", .sentence), .need("people", .count)])),
            "The languages of these people, and of the text that they get; empty for none chosen and for the default text."
        ),
        .may(
            "texts", .named(.object([.need("title", .sentence), .need("body", .sentence)])), "Empty for the default."),
        .may("next", .number, "Give it as after to look at the next slice."),
        .may("unknown", .list(.user), "Some of the users that the server does not know."),
        .may("unknownCount", .count),
    ]

    /// The members of a request that say what a broadcast is.
    private static let wanted: [ValueForm.Member] = [
        .mayBeNull(
            "audiences", .list(listed, 0...BroadcastLimits.audiencesMax),
            "Several audiences, with audience if it is there, too; each person gets it once."),
        .mayBeNull("users", .list(.user, 0...BroadcastLimits.namedMax), "People beside the audiences."),
        .mayBeNull("except", .list(listed, 0...BroadcastLimits.audiencesMax), "People of these do not get it."),
        .mayBeNull(
            "title", localized(.text(1...Limits.titleCharactersMax)),
            "A text, or texts by language; it or the body must be there."),
        .mayBeNull("body", localized(.text(1...Limits.bodyCharactersMax))),
        .mayBeNull("kind", kind, "By which readers mute it or let it pass; broadcast when it is absent."),
        .may("level", level), .mayBeNull("data", .data), .mayBeNull("expires", .time),
        .mayBeNull("collapse", .text(1...200)),
    ]
    private static let at = ValueForm.text(16...35, pattern: #"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}"#)
    /// The members of requests that the audit keeps.
    private static let audited = [
        "audience", "audiences", "users", "except", "kind", "level", "collapse", "at", "expires", "dryRun",
    ]

    static let all: [AdminRoute] = [
        AdminRoute(
            "POST", "broadcasts", .publish, "broadcast.send",
            details: audited, bodyBytesMax: Limits.requestBodyBytesMax,
            form: RouteForm(
                "Sends a notification to many, at once or at a time.",
                body: .object(
                    wanted + [
                        .may("audience", audience, "everyone, online, user:ID, or a topic: its followers."),
                        .mayBeNull(
                            "at", at, "When it is sent; without an offset or Z, when each person's own clock shows it."),
                        .may("dryRun", .flag),
                        .may("after", .cursor, "Of a dry run: the member next of the slice before."),
                    ]), status: 202, links: [.init(action: "broadcast.get", parameter: "id", member: "id")],
                .members(sent))
        ) { call throws(Refusal) in
            let body = try BroadcastBody(call.request.object())
            let online = call.door.online
            return body.isDryRun
                ? .read(try PreviewBroadcast(body.order, online: online, after: body.after))
                : .write(SendBroadcast(body.order, online: online.count, key: try call.request.key()))
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
            "PATCH", "broadcasts/{id}", .publish, "broadcast.change", details: audited,
            bodyBytesMax: Limits.requestBodyBytesMax,
            form: RouteForm(
                "Changes a broadcast that waits for its time.",
                body: .object(wanted + [.may("audience", audience), .may("at", at)]), .members(sent))
        ) { call throws(Refusal) in
            .write(
                ChangeBroadcast(
                    id: try call.number(of: "broadcast"), try BroadcastChange(call.request.object()),
                    key: try call.request.key()))
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
                    .may("Title", .text(1...200)), .may("Kind", kind), .may("Level", level),
                    .may("Collapse", .text(1...200)),
                    .may("Expires", .time),
                ], body: .text, status: 202, .members(sent))
        ) { call throws(Refusal) in
            let order = try PlainPublication(call.request, to: call.value).order
            return .write(
                SendBroadcast(
                    order, expiresField: "Expires", online: call.door.online.count, key: try call.request.key()))
        },
    ]
}
