import ClientProtocol
import Execution
import JSON
import ThreadMessages
import Model
import Services

/// The descriptions of all routes, by the names that the audit has for them. A test holds that each route has one.
///
/// - Confinement: any
enum RouteForms {
    static let byAction: [String: RouteForm] = [documents, notifications, triggers, outside, people, server]
        .reduce(into: [:]) { all, part in all.merge(part) { first, _ in first } }

    /// A route that is no part of the admin API.
    ///
    /// - Confinement: any
    struct Open: Sendable {
        let method: String
        let path: String
        let action: String
        /// Whether it asks for the token of a user.
        var isForUsers = false
        let form: RouteForm
    }

    /// The commands that need a session, and are refused without one.
    private static let ofSessions: Set = ["hello", "presence", "focus", "watch", "unwatch", "device"]

    private static let answers = CommandTable.types.filter { !ofSessions.contains($0.name) }
        .compactMap { CommandForms.byName[$0.name]?.answer }

    static let open = [
        Open(
            method: "GET", path: "/v1/ws", action: "session.open",
            form: RouteForm(
                "Opens a WebSocket of the subprotocol watchwise.v1; 426 without an upgrade.", status: 101, .none)),
        Open(
            method: "GET", path: "/v1/events", action: "events.get", isForUsers: true,
            form: RouteForm(
                "The events of a user, as Server-Sent Events. With inbox=off it needs no token, and has what it watches alone.",
                query: [
                    .may("since", .eventID, "The id of the last event; the events after it follow."),
                    .may("device", .visible(FieldLimits.deviceBytesMax)), .may("locale", .languageTag),
                    .may("watch", .watchedPaths, "Paths of documents and collections, with commas between."),
                    .may("inbox", .words(["on", "off"])),
                ],
                head: [.may("Last-Event-ID", .eventID)], isOpen: true, .other("text/event-stream"))),
        Open(
            method: "POST", path: "/v1/commands", action: "command.post", isForUsers: true,
            form: RouteForm(
                "Takes one command, and answers with its reply.",
                body: .json(
                    .either(
                        CommandTable.types.filter { !ofSessions.contains($0.name) }.compactMap {
                            AsyncAPI.command(named: $0.name)
                        })),
                [.need("ok", .either(answers)), .may("re", .requestID)])),
        Open(
            method: "GET", path: "/v1/push/key", action: "push.key",
            form: RouteForm(
                "The public key with which a browser subscribes to pushes.", [.need("webpush", .sentence)])),
        Open(
            method: "GET", path: "/v1/openapi.json", action: "openapi.get",
            form: RouteForm("This document.", .json(.open))),
        Open(
            method: "GET", path: "/v1/asyncapi.json", action: "asyncapi.get",
            form: RouteForm("The AsyncAPI 3 document of the commands and events of sessions.", .json(.open))),
        Open(
            method: "GET", path: "/v1/sdk/watchwise.js", action: "sdk.module",
            form: RouteForm("The library for browsers and Node, one ES module.", .other("text/javascript"))),
        Open(
            method: "GET", path: "/v1/sdk/watchwise.d.ts", action: "sdk.types",
            form: RouteForm("The types of the library, for TypeScript.", .other("text/plain"))),
        Open(
            method: "GET", path: "/v1/sdk/watchwise-sqlite.js", action: "sdk.sqlite",
            form: RouteForm("The part of the library that keeps a file in Node.", .other("text/javascript"))),
        Open(
            method: "GET", path: "/v1/sdk/watchwise-worker.js", action: "sdk.worker",
            form: RouteForm(
                "The service worker of the library, which shows pushes; it may have any scope.",
                .other("text/javascript"))),
        Open(
            method: "GET", path: "/healthz", action: "health.get",
            form: RouteForm("Whether the process answers.", .other("text/plain"))),
        Open(
            method: "GET", path: "/readyz", action: "ready.get",
            form: RouteForm(
                "Whether the server takes writes; 503 when it does not.",
                query: [.may("for", .words(["writes"]), "Also whether this node can hand over a write.")],
                .other("text/plain"))),
        Open(
            method: "GET", path: "/metrics", action: "metrics.get",
            form: RouteForm(
                "The figures for Prometheus: for programs on this machine, and for tokens with metrics or admin:read.",
                .other("text/plain"))),
    ]

    // MARK: Documents

    private static let path = ValueForm.text(
        3...1024,
        pattern: "^[A-Za-z0-9_.@:-]{1,64}/[A-Za-z0-9_.@:-]{1,64}(/[A-Za-z0-9_.@:-]{1,64}/[A-Za-z0-9_.@:-]{1,64}){0,3}$")
    /// The id of a document in its collection, which has two parts for a product.
    private static let documentID = ValueForm.text(
        1...(Limits.documentPathBytesMax - 2),
        pattern:
            "^((\(Limits.compoundIDPrefixes.sorted().joined(separator: "|")))/)?[A-Za-z0-9_@:~-][A-Za-z0-9_.@:~-]*$")
    /// Patterns of paths, and who may read and write there: one word, or words for each.
    private static let rules = ValueForm.named(
        .either([words, .object([.may("read", words), .may("write", words)])]))
    private static let words = ValueForm.either([.sentence, .list(.sentence)])
    private static let version = ValueForm.Member.may(
        "ifVersion", .integer(0...Int64.max), "The version that must be there; 0 for no document.")
    private static let document: [ValueForm.Member] = [
        .need("path", .sentence), .need("version", .count), .need("seq", .position), .may("data", .data),
    ]
    private static let written: [ValueForm.Member] = [
        .need("path", .sentence), .need("version", .count), .need("seq", .position),
        .need("triggers", .list(TriggerAnswers.effect), "The triggers of the path, and what each did."),
        .may("unmet", .count, "Triggers whose condition was not true."), .may("warnings", .list(.sentence)),
        .may("topic", .topic, "Where the document is a follow."),
    ]
    private static let chain = ValueForm.Member.may(
        TriggerChain.headerName, .text(1...512, pattern: "^[a-z0-9-]{1,64}(,[a-z0-9-]{1,64}){0,3}$"),
        "The triggers through which the write came about, as a webhook bore it.")

    private static let documents: [String: RouteForm] = [
        "document.list": RouteForm(
            "The documents of a collection, in the order of their ids.",
            query: [
                .need(
                    "collection",
                    .text(
                        1...1024,
                        pattern: "^[A-Za-z0-9_.@:-]{1,64}(/[A-Za-z0-9_.@:-]{1,64}/[A-Za-z0-9_.@:-]{1,64}){0,3}$")),
                .may("after", documentID, "The member next of an earlier page."), .limit,
            ],
            isOpen: true,
            [.need("documents", .list(.object(document))), .next]),
        "document.batch": RouteForm(
            "Writes many documents in one commit: all or none.", head: [chain],
            body: .json(
                .object(
                    [
                        .need(
                            "writes",
                            .list(
                                .either([
                                    .object(
                                        [
                                            .need("op", .words(["put", "patch"])), .need("path", path),
                                            .need("data", .data), version,
                                        ], isOpen: true),
                                    .object(
                                        [.need("op", .words(["delete"])), .need("path", path), version], isOpen: true),
                                ]), 1...Limits.documentBatchMax))
                    ], isOpen: true)),
            [.need("documents", .list(.object(written)))]),
        "document.get": RouteForm(
            "One document.", hasVersion: true, isOpen: true, .members(document)),
        "document.put": RouteForm(
            "Writes a document, in place of the one that is there.", query: [version], head: [chain],
            body: .json(.data), isGuarded: true, hasVersion: true, .members(written)),
        "document.patch": RouteForm(
            "Changes a document by a merge patch (RFC 7396).", query: [version], head: [chain],
            body: .json(.data), isGuarded: true, hasVersion: true, .members(written)),
        "document.delete": RouteForm(
            "Deletes a document.", query: [version], head: [chain], isGuarded: true, hasVersion: true, .members(written)
        ),
        "rules.get": RouteForm(
            "The table of access rules.", [.need("version", .count), .need("rules", rules)]),
        "rules.put": RouteForm(
            "Puts another table of access rules in place.", query: [version],
            body: .json(.object([.need("rules", rules)])), isGuarded: true,
            [.need("version", .count), .need("seq", .position)]),
    ]

    // MARK: Notifications

    /// A text, or texts by language.
    private static func localized(_ text: ValueForm) -> ValueForm {
        .either([text, .named(text, least: 1, names: .languageTag)])
    }

    private static let level = ValueForm.words(InterruptionLevel.allCases.map(\.rawValue))
    private static let audience = ValueForm.either([.words(["everyone", "online"]), .topic])

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

    private static let notifications: [String: RouteForm] = [
        "broadcast.send": RouteForm(
            "Sends a notification to many, at once or at a time.",
            body: .json(
                .object([
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
                ])),
            status: 202,
            links: [.init(action: "broadcast.get", parameter: "id", member: "id")], .members(sent)),
        "broadcast.list": RouteForm(
            "The broadcasts, newest first.",
            query: [
                .may("state", .words(["scheduled", "sending", "sent", "cancelled", "expired"])), .before, .limit,
            ],
            [.need("broadcasts", .list(.object(broadcast))), .next]),
        "broadcast.get": RouteForm("One broadcast, and how far it has come.", .members(broadcast)),
        "broadcast.cancel": RouteForm(
            "Takes a broadcast back.", [.need("id", .id), .need("cancelled", .flag)]),
        "topic.publish": RouteForm(
            "Notifies the followers of a topic; the body is the text.",
            head: [
                .may("Title", .text(1...200)), .may("Level", level), .may("Collapse", .text(1...200)),
                .may("Expires", .time),
            ],
            body: .text, status: 202, .members(sent)),
    ]

    // MARK: Triggers

    /// A document, or none.
    private static let side = ValueForm.either([.data, .null])

    private static let conversationReason = ValueForm.Member.mayBeNull(
        "reason", .text(1...Limits.auditReasonCharactersMax),
        "Why it is done; required, with the scope admin, below chats and recommendations.")
    private static let triggers: [String: RouteForm] = [
        "trigger.list": RouteForm(
            "The trigger table, with what each did since the start.",
            [.need("triggers", .list(TriggerAnswers.listedRow)), .need("counts", TriggerAnswers.counts)]),
        "trigger.get": RouteForm("One row.", .members(TriggerAnswers.row)),
        "trigger.put": RouteForm(
            "Writes a row.",
            body: .json(
                .object(
                    [
                        .need("event", .words(["create", "update", "delete", "write"])),
                        .need("path", .text(1...1024)), .mayBeNull("condition", .sentence),
                        .may("audience", .anything), .may("title", .anything), .may("body", .anything),
                    ], isOpen: true)),
            [.need("name", .sentence), .need("seq", .position), .may("warnings", .list(.sentence))]),
        "trigger.delete": RouteForm("Deletes a row.", [.need("name", .sentence), .need("seq", .position)]),
        "trigger.test": RouteForm(
            "What a row would do; writes nothing.",
            body: .json(
                .object([
                    .need("path", path), .may("row", side), .may("before", side), .may("after", side),
                    .mayBeNull("user", .user), .mayBeNull("now", .time),
                    .mayBeNull("limit", .integer(0...Int64(TriggerLimits.testRecipientsMax))), conversationReason,
                ])), .members(TriggerAnswers.test)),
        "trigger.runs": RouteForm(
            "What a trigger did, newest first.", query: [.before, .limit],
            [.need("trigger", .triggerName), .need("runs", .list(TriggerAnswers.run)), .next]),
        "trigger.replay": RouteForm(
            "Runs a trigger again on past changes; writes what is missing.",
            body: .json(
                .object([
                    .need("from", .integer(1...(Position.bound - 1))),
                    .mayBeNull("to", .integer(1...(Position.bound - 1))),
                    .may("dryRun", .flag),
                    .mayBeNull("limit", .integer(1...100)), conversationReason,
                ])), .members(TriggerAnswers.replay)),
        "notification.explain": RouteForm(
            "Why somebody got a notification, or did not.", query: [.may("user", .user)],
            .members(TriggerAnswers.notificationExplained)),
        "explain.get": RouteForm(
            "Why somebody got something or nothing, or what is still to come.",
            query: [
                .may("path", path), .need("user", .user), .may("seq", .integer(1...(Position.bound - 1))),
                .may("pending", .words(["true", "false"])),
                .may("after", .explainCursor, "The member next of an earlier page of what is pending."),
                .may("limit", .integer(1...20)),
            ], .json(TriggerAnswers.explained)),
    ]

    // MARK: Outside

    private static let outside: [String: RouteForm] = [
        "feed.list": RouteForm("The feeds, and how each does.", [.need("feeds", .list(ServerAnswers.feed))]),
        "feed.get": RouteForm("One feed.", .json(ServerAnswers.feed)),
        "feed.put": RouteForm(
            "Writes a feed.", body: .json(.open),
            [.need("name", .sentence), .need("hasKey", .flag), .need("seq", .position)]),
        "feed.delete": RouteForm("Deletes a feed.", [.need("name", .sentence), .need("seq", .position)]),
        "feed.run": RouteForm("Fetches a feed now.", status: 202, [.need("name", .sentence), .need("started", .yes)]),
        "feed.test": RouteForm(
            "The documents that a feed would write; writes nothing.", body: .json(.open),
            .members(ServerAnswers.feedTrial)),
        "webhook.list": RouteForm(
            "The endpoints of webhooks.", [.need("webhooks", .list(.object(RouteAnswers.webhook)))]),
        "delivery.list": RouteForm(
            "Calls of webhooks.",
            query: [
                .may("webhook", .number), .may("trigger", .triggerName),
                .may("state", .words(["pending", "delivered", "dead"])), .before, .limit,
            ], [.need("deliveries", .list(.object(RouteAnswers.delivery))), .next]),
        "delivery.replay": RouteForm("Calls a webhook again.", [.need("replayed", .count)]),
        "webhook.replay": RouteForm(
            "Calls a trigger's webhook again for all changes since.",
            body: .json(
                .object(
                    [.need("trigger", .text(1...Int.max)), .need("since", .either([.position, .time]))], isOpen: true)),
            [.need("replayed", .count)]),
        "webhook.enable": RouteForm(
            "Lets an endpoint be called again.",
            [.need("id", .number), .need("url", .sentence), .need("wasDisabled", .flag)]),
        "dead.list": RouteForm(
            "Jobs and triggers that gave up.", query: [.may("trigger", .triggerName), .before, .limit],
            [.need("dead", .list(.object(RouteAnswers.dead))), .next]),
        "dead.delete": RouteForm("Forgets a dead letter.", [.need("id", .count)]),
        "dead.retry": RouteForm(
            "Tries a dead letter again.",
            [
                .need("id", .count), .need("kind", .words(["trigger", "webhook", "push"])), .may("queued", .flag),
                .may("triggers", .list(TriggerAnswers.effect)),
            ]),
        "device.list": RouteForm(
            "The registered devices.", query: [.may("user", .user), .before, .limit],
            [.need("devices", .list(.object(RouteAnswers.device))), .next]),
        "device.delete": RouteForm("Ends a registration.", [.need("id", .id), .need("seq", .position)]),
        "push.test": RouteForm(
            "Pushes a text to all devices of a user, and says what the push services answered.",
            body: .json(
                .object([
                    .need("user", .user), .need("title", .text(1...Limits.titleCharactersMax)),
                    .mayBeNull("body", .text(1...Limits.bodyCharactersMax)),
                    .mayBeNull("level", .words(["active", "time-sensitive", "critical"])),
                ])), [.need("user", .user), .need("devices", .list(RouteAnswers.trial))]),
        "push.list": RouteForm(
            "The jobs of pushes, newest first.",
            query: [.may("user", .user), .may("state", .words(["waiting", "begun", "ended"])), .before, .limit],
            [.need("jobs", .list(.object(RouteAnswers.job))), .next]),
        "push.get": RouteForm(
            "One job, with what became of it for each device.", query: [.may("after", .cursor), .limit],
            .members(RouteAnswers.job + [.need("tries", .list(RouteAnswers.attempt)), .next])),
    ]

    // MARK: People

    private static let reason = ValueForm.Member.mayBeNull("reason", .text(1...40), "At most 120 bytes.")
    private static let statement = ValueForm.text(1...500)
    /// Paths of documents in which * stands for one part.
    private static let pattern = ValueForm.text(
        3...1024, pattern: #"^([A-Za-z0-9_.@:-]{1,64}|\*)/([A-Za-z0-9_.@:-]{1,64}|\*)$"#)
    private static let people: [String: RouteForm] = [
        "user.kick": RouteForm(
            "Ends every session of a user.", body: .maybe(.object([reason, .may("revoke", .flag)])),
            [.need("user", .user), .need("seq", .position), .may("revocation", .number)]),
        "preferences.get": RouteForm("The preferences of a user.", .json(SharedForms.preferences)),
        "preferences.put": RouteForm(
            "Puts preferences in place of those that are there.", body: .json(SharedForms.preferencesPatch),
            .json(SharedForms.preferences)),
        "preferences.patch": RouteForm(
            "Changes preferences by a merge patch.", body: .json(SharedForms.preferencesPatch),
            .json(SharedForms.preferences)),
        "user.export": RouteForm(
            "Everything that is kept about a user, as lines of JSON.",
            query: [.may("others", .words(["omit"]), "Leaves out the texts of others.")],
            .other("application/x-ndjson")),
        "user.erase": RouteForm(
            "Erases a user in slices; a dry run only counts, with status 200.",
            body: .maybe(
                .object([
                    .may("messages", .words(ErasureMode.allCases.map(\.rawValue))),
                    .mayBeNull("reason", .text(1...Limits.auditReasonCharactersMax)),
                    .mayBeNull("documents", .list(pattern, 0...ErasureLimits.patterns)), .may("dryRun", .flag),
                ])), status: 202, others: [200: [.need("user", .user), .need("dryRun", .yes), RouteAnswers.rows]],
            [.need("erasure", .id), .need("pseudonym", .user), .need("seq", .position)]),
        "user.invite": RouteForm(
            "Makes a user known; the name of an erased person may come in again.",
            [.need("user", .sentence), .need("isNew", .flag), .need("seq", .position)]),
        "erasure.get": RouteForm(
            "How far an erasure is, and in the end its certificate.",
            .members(RouteAnswers.certificate)),
        "chat.read": RouteForm(
            "The messages of a chat; the reason stands in the audit.",
            query: [
                .need("reason", .text(1...Limits.auditReasonCharactersMax)), .may("before", .integer(1...Int64.max)),
                .may("after", .integer(0...Int64.max)), .limit,
            ], [.need("messages", .list(SharedForms.listedMessage)), .next]),
        "revocation.list": RouteForm(
            "The revocations in force.", query: [.before, .limit],
            [.need("revocations", .list(.object(RouteAnswers.revocation))), .next]),
        "revocation.add": RouteForm(
            "Revokes a token, or all tokens of a user.",
            body: .json(
                .either([
                    .object([.need("jti", .text(1...64)), .mayBeNull("until", .time), reason]),
                    .object([.need("token", .text(1...Int.max)), .mayBeNull("until", .time), reason]),
                    .object([.need("user", .user), .mayBeNull("before", .time), .mayBeNull("until", .time), reason]),
                ])),
            links: [.init(action: "revocation.lift", parameter: "id", member: "id")],
            .members(RouteAnswers.revocation + [SharedForms.seq])),
        "revocation.lift": RouteForm(
            "Ends a revocation.", .members(RouteAnswers.revocation + [.need("lifted", .yes), SharedForms.seq])),
        "restriction.list": RouteForm(
            "What a user may not do.",
            [.need("user", .user), .need("restrictions", .list(.object(RouteAnswers.restriction)))]),
        "restriction.put": RouteForm(
            "Keeps a user from writing, or out.",
            body: .json(
                .object([
                    .need("kind", .words(["mute", "ban"])), .mayBeNull("until", .time), .need("reason", statement),
                ])), .members(RouteAnswers.restriction + [.need("user", .user), SharedForms.seq])),
        "restriction.end": RouteForm(
            "Ends restrictions of a user.", query: [.may("kind", .words(["mute", "ban"]))],
            [.need("user", .user), .need("ended", .list(.words(["mute", "ban"]))), .need("seq", .position)]),
        "limit.get": RouteForm("A user's own limits.", [.need("user", .user), RouteAnswers.limits]),
        "limit.put": RouteForm(
            "Gives a user limits of their own.",
            body: .json(
                .object(
                    Deed.allCases.map {
                        .may($0.rawValue, .text(4...20, pattern: "^[1-9][0-9]{0,4}/[1-9][0-9]{0,2}[smhd]$"))
                    })),
            [.need("user", .user), RouteAnswers.limits, .need("seq", .position)]),
        "limit.delete": RouteForm(
            "Gives a user the configured limits again.",
            [.need("user", .user), RouteAnswers.limits, .need("seq", .position)]),
        "room.list": RouteForm(
            "The rooms, without messages.", query: [.may("after", .cursor), .limit],
            [.need("rooms", .list(.object(RouteAnswers.room))), .next]),
        "room.get": RouteForm(
            "One room and its members, without messages.", query: [.may("after", .cursor), .limit],
            .members(
                RouteAnswers.room + [.need("last", .count), .need("people", .list(SharedForms.roomMember)), .next])),
        "report.list": RouteForm(
            "What users have reported, newest first.",
            query: [
                .may("state", .words(["open", "decided"])),
                .may("category", .words(ReportCategory.allCases.map(\.rawValue))), .may("user", .user), .before,
                .limit,
            ], [.need("reports", .list(.object(RouteAnswers.report))), .next]),
        "report.read": RouteForm(
            "One report with its copy.", .members(RouteAnswers.report + [.need("messages", .list(RouteAnswers.copy))])),
        "report.decide": RouteForm(
            "Decides a report.",
            body: .json(
                .either([
                    .object([
                        .need("action", .words(["dismiss", "warn", "delete"])), .need("statement", statement),
                        .may("note", statement), .may("key", .key),
                    ]),
                    .object([
                        .need("action", .words(["mute", "ban"])), .need("statement", statement),
                        .may("note", statement), .mayBeNull("until", .time), .may("key", .key),
                    ]),
                ])),
            [
                .need("report", .id), .need("action", .sentence), .need("reports", .list(.id)), .need("seq", .position),
            ]),
    ]

    // MARK: The server

    private static let server: [String: RouteForm] = [
        "audit.list": RouteForm(
            "What administrators did, newest first.",
            query: [
                .may("actor", .user), .may("action", .text(1...64, pattern: "^[a-z.-]+$")),
                .may("target", .text(1...AdminRoute.targetCharactersMax, pattern: #"^[^\u0000]*$"#)), .before, .limit,
            ],
            [.need("audit", .list(RouteAnswers.audited)), .next]),
        "backup.get": RouteForm("A copy of the database.", .other("application/vnd.sqlite3")),
        "stats.get": RouteForm(
            "What the database holds, and what the server has counted.", .members(ServerAnswers.statistics)),
        "cluster.get": RouteForm("The nodes of a cluster.", .members(ServerAnswers.cluster)),
        "cluster.step-down": RouteForm(
            "Lets another node lead.", status: 202, [.need("node", .sentence), .need("term", .count)]),
        "cluster.verify": RouteForm(
            "Compares the databases of the nodes.", status: 202, [.need("node", .sentence), .need("number", .count)]),
        "standby.get": RouteForm("How a primary or a standby stands.", .members(ServerAnswers.standby)),
        "standby.entries": RouteForm(
            "A primary's commits, for its standby.",
            query: [
                .need("schema", .integer(1...Int64.max)),
                .may("after", .position, "The newest entry that the standby has; after, term and epoch come together."),
                .may("term", .position), .may("epoch", .visible(64)),
                .may(
                    "end", .words(["true", "false"]), "Whether its disk has everything that a primary which ends has."),
                .may("address", .visible(StandbyQuestion.addressBytesMax), "Its own URL."),
            ], .other("application/octet-stream")),
        "standby.handover": RouteForm(
            "Gives the primary's place to its standby.", status: 202, .members(ServerAnswers.standby)),
        "standby.promote": RouteForm(
            "Lets a standby take its primary's place.", query: [.may("force", .words(["true", "false"]))],
            status: 202, .members(ServerAnswers.standby)),
    ]
}
