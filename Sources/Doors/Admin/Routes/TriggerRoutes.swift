import Authentication
import ClientProtocol
import Execution
import JSON
import Model
import Telemetry
import TriggerExecution
import Wire

/// The trigger table, and working on it without fear: what a trigger would do, what it did, why somebody got something, and
/// doing it again.
///
/// - Confinement: any
enum TriggerRoutes {
    /// A document, or none.
    private static let side = ValueForm.either([.data, .null])

    private static let conversationReason = ValueForm.Member.mayBeNull(
        "reason", .text(1...Limits.auditReasonCharactersMax),
        "Why it is done; required, with the scope admin, below chats and recommendations.")

    static let all: [AdminRoute] = [
        AdminRoute(
            "GET", "triggers", .read, "trigger.list",
            form: RouteForm(
                "The trigger table, with what each did since the start.",
                [.need("triggers", .list(TriggerAnswers.listedRow)), .need("counts", TriggerAnswers.counts)])
        ) { call in call.triggers(nil) },
        AdminRoute(
            "GET", "triggers/{name}", .read, "trigger.get",
            form: RouteForm("One row.", .members(TriggerAnswers.row))
        ) { call in call.triggers(call.value) },
        AdminRoute(
            "PUT", "triggers/{name}", .operate, "trigger.put",
            details: ["event", "path", "audience", "webhook", "enabled"],
            form: RouteForm(
                "Writes a row.",
                body: .object(
                    [
                        .need("event", .words(["create", "update", "delete", "write"])), .need("path", .text(1...1024)),
                        .mayBeNull("condition", .sentence), .may("audience", .anything), .may("title", .anything),
                        .may("body", .anything),
                    ], isOpen: true),
                [.need("name", .sentence), .need("seq", .position), .may("warnings", .list(.sentence))])
        ) { call throws(Refusal) in
            .write(try PutTrigger(name: call.value, row: call.request.object(), key: call.request.key()))
        },
        AdminRoute(
            "DELETE", "triggers/{name}", .operate, "trigger.delete",
            form: RouteForm("Deletes a row.", [.need("name", .sentence), .need("seq", .position)])
        ) { call in .write(DeleteTrigger(name: call.value)) },
        AdminRoute(
            "POST", "triggers/{name}/test", .operate, "trigger.test", details: ["path", "reason"],
            form: RouteForm(
                "What a row would do; writes nothing.",
                body: .object([
                    .need("path", .plainPath), .may("row", side), .may("before", side), .may("after", side),
                    .mayBeNull("user", .user), .mayBeNull("now", .time),
                    .mayBeNull("limit", .integer(0...Int64(TriggerLimits.testRecipientsMax))), conversationReason,
                ]), .members(TriggerAnswers.test))
        ) { call throws(Refusal) in
            let body = try call.request.object()
            return .read(try TestTrigger(name: call.value, body: body, call.request.access(at: call.door, body)))
        },
        AdminRoute(
            "GET", "triggers/{name}/runs", .read, "trigger.runs",
            form: RouteForm(
                "What a trigger did, newest first.", query: [.before, .limit],
                [.need("trigger", .triggerName), .need("runs", .list(TriggerAnswers.run)), .next])
        ) { call throws(Refusal) in
            .read(ReadTriggerRuns(name: call.value, before: call.query("before"), limit: try call.request.limit()))
        },
        AdminRoute(
            "POST", "triggers/{name}/replay", .operate, "trigger.replay",
            details: ["from", "to", "limit", "dryRun", "reason"],
            form: RouteForm(
                "Runs a trigger again on past changes; writes what is missing.",
                body: .object([
                    .need("from", .integer(1...(Position.bound - 1))),
                    .mayBeNull("to", .integer(1...(Position.bound - 1))), .may("dryRun", .flag),
                    .mayBeNull("limit", .integer(1...100)), conversationReason,
                ]), .members(TriggerAnswers.replay))
        ) { call throws(Refusal) in
            let object = try call.request.object()
            let body = try ReplayBody(object, of: call.value, call.request.access(at: call.door, object))
            return body.isDryRun
                ? .read(PreviewReplay(body.range))
                : .write(ReplayTrigger(body.range, key: try call.request.key()))
        },
        AdminRoute(
            "GET", "notifications/{id}/explain", .read, "notification.explain",
            form: RouteForm(
                "Why somebody got a notification, or did not.", query: [.may("user", .user)],
                .members(TriggerAnswers.notificationExplained))
        ) { call throws(Refusal) in
            var user: UserID?
            if let text = call.query("user") {
                guard let named = UserID(admitted: text) else {
                    throw Refusal.badRequest(field: "user", "must be \(UserID.form)")
                }
                user = named
            }
            return .read(ExplainNotification(id: call.value, user: user))
        },
        AdminRoute(
            "GET", "explain", .read, "explain.get",
            form: RouteForm(
                "Why somebody got something or nothing, or what is still to come.",
                query: [
                    .may("path", .plainPath), .need("user", .user), .may("seq", .integer(1...(Position.bound - 1))),
                    .may("pending", .words(["true", "false"])),
                    .may("after", .explainCursor, "The member next of an earlier page of what is pending."),
                    .may("limit", .integer(1...20)),
                ], .json(TriggerAnswers.explained))
        ) { call throws(Refusal) in try call.explain() },
    ]
}

extension AdminCall {
    fileprivate func triggers(_ name: String?) -> Route {
        let tally = door.settings.metrics.triggers
        return .read(ReadTriggers(name: name, counts: tally.all, broken: tally.broken))
    }

    /// `/v1/explain?path=DOC&user=USER` and `/v1/explain?pending=true&user=USER`.
    fileprivate func explain() throws(Refusal) -> Route {
        let after = try query("after").map { text throws(Refusal) in try ExplainPending.Place(text) }
        switch query("pending") {
        case "true":
            guard query("path") == nil else {
                throw Refusal.badRequest(field: "pending", "is about a person; leave out path")
            }
            return .read(try ExplainPending(user: query("user"), after: after, limit: try request.limit()))
        case nil, "false": break
        default: throw Refusal.badRequest(field: "pending", "must be true or false")
        }
        return .read(
            try ExplainPath(path: query("path"), user: query("user"), seq: query("seq"), limit: query("limit")))
    }
}

extension HTTPCall {
    /// Whether the request may read what people wrote to each other.
    ///
    /// - Throws: `Refusal` naming `reason`.
    fileprivate func access(at door: any RequestDoor, _ body: JSONObject) throws(Refusal) -> ConversationAccess {
        try ConversationAccess(isAdmin: try claims(at: door).isAdmin, reason: body["reason"])
    }
}

/// The body of `POST /v1/triggers/NAME/replay`.
///
/// - Confinement: any
struct ReplayBody {
    let range: ReplayRange
    let isDryRun: Bool

    /// - Throws: `Refusal` naming the field.
    init(_ body: JSONObject, of name: String, _ access: ConversationAccess) throws(Refusal) {
        try body.allow(["from", "to", "dryRun", "limit", "reason"])
        func number(_ field: String) throws(Refusal) -> Int64? {
            guard let value = body[field], !value.isNull else { return nil }
            guard let number = value.integerValue else { throw Refusal.badRequest(field: field, "must be a number") }
            return number
        }
        guard let from = try number("from") else { throw Refusal.badRequest(field: "from", "is required: a position") }
        let limit = try number("limit").map { Int(clamping: $0) }
        range = try ReplayRange(
            name: name, from: from, to: try number("to") ?? Position.bound - 1, limit: limit, access)
        isDryRun = try body.flag("dryRun") ?? true
    }
}
