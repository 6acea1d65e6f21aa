import Authentication
import ClientProtocol
import Execution
import JSON
import Model
import Services
import Store
import Wire

/// `/v1/reports…`, and `/v1/users/ID/restrictions` and `limits`: what moderators do.
///
/// - Confinement: any
enum ModerationRoutes {
    private static let statement = ValueForm.text(1...500)

    static let all: [AdminRoute] = [
        AdminRoute(
            "GET", "users/{user}/restrictions", .moderate, "restriction.list",
            form: RouteForm(
                "What a user may not do.",
                [
                    .need("user", .user), .need("restrictions", .list(.object(RouteAnswers.restriction))),
                    .may(
                        "deactivated", .object([.need("at", .time), .need("by", .sentence)]),
                        "An administrator has closed the account."),
                ])
        ) { call throws(Refusal) in .read(ReadStanding(of: try call.user(), .restrictions)) },
        AdminRoute(
            "PUT", "users/{user}/restrictions", .moderate, "restriction.put", details: ["kind", "until", "reason"],
            form: RouteForm(
                "Keeps a user from writing, or out.",
                body: .object([
                    .need("kind", .words(["mute", "ban"])), .mayBeNull("until", .time), .need("reason", statement),
                ]), .members(RouteAnswers.restriction + [.need("user", .user), SharedForms.seq]))
        ) { call throws(Refusal) in
            let (user, body) = (try call.user(), try call.request.object())
            try body.allow(["kind", "until", "reason"])
            guard let kind = body["kind"]?.stringValue.flatMap(Restriction.Kind.init(moderators:)) else {
                throw Refusal.badRequest(field: "kind", "is required: mute or ban")
            }
            let reason = try body.text("reason", bytesMax: ModerationLimits.statementBytesMax)
            return .write(
                RestrictUser(user, kind, until: try body.time("until"), reason: reason, key: try call.request.key()))
        },
        AdminRoute(
            "DELETE", "users/{user}/restrictions", .moderate, "restriction.end", details: ["kind"],
            form: RouteForm(
                "Ends restrictions of a user.", query: [.may("kind", .words(["mute", "ban"]))],
                [.need("user", .user), .need("ended", .list(.words(["mute", "ban"]))), .need("seq", .position)])
        ) { call throws(Refusal) in
            let text = call.query("kind")
            let kind = text.flatMap(Restriction.Kind.init(moderators:))
            guard text == nil || kind != nil else { throw Refusal.badRequest(field: "kind", "must be mute or ban") }
            return .write(EndRestriction(try call.user(), kind))
        },
        AdminRoute(
            "GET", "users/{user}/limits", .moderate, "limit.get",
            form: RouteForm("A user's own limits.", [.need("user", .user), RouteAnswers.limits])
        ) { call throws(Refusal) in .read(ReadStanding(of: try call.user(), .limits)) },
        AdminRoute(
            "PUT", "users/{user}/limits", .moderate, "limit.put", details: Deed.allCases.map(\.rawValue),
            form: RouteForm(
                "Gives a user limits of their own.",
                body: .object(
                    Deed.allCases.map {
                        .may($0.rawValue, .text(4...20, pattern: "^[1-9][0-9]{0,4}/[1-9][0-9]{0,2}[smhd]$"))
                    }), [.need("user", .user), RouteAnswers.limits, .need("seq", .position)])
        ) { call throws(Refusal) in
            let limits = try PersonLimits(call.request.object())
            return .write(SetLimits(limits, of: try call.user(), key: try call.request.key()))
        },
        AdminRoute(
            "DELETE", "users/{user}/limits", .moderate, "limit.delete",
            form: RouteForm(
                "Gives a user the configured limits again.",
                [.need("user", .user), RouteAnswers.limits, .need("seq", .position)])
        ) { call throws(Refusal) in .write(SetLimits(nil, of: try call.user(), key: nil)) },
        AdminRoute(
            "GET", "reports", .moderate, "report.list",
            form: RouteForm(
                "What users have reported, newest first.",
                query: [
                    .may("state", .words(["open", "decided"])),
                    .may("category", .words(ReportCategory.allCases.map(\.rawValue))), .may("user", .user), .before,
                    .limit,
                ], [.need("reports", .list(.object(RouteAnswers.report))), .next])
        ) { call throws(Refusal) in
            .read(
                try ListReports(
                    state: call.query("state"), category: call.query("category"), user: call.query("user"),
                    before: call.query("before"), limit: try call.request.limit()))
        },
        AdminRoute(
            "GET", "reports/{id}", .moderate, "report.read",
            form: RouteForm(
                "One report with its copy.",
                .members(RouteAnswers.report + [.need("messages", .list(RouteAnswers.copy))]))
        ) { call throws(Refusal) in
            // The copy is what people wrote to each other.
            .content(ReadReport(try call.report()))
        },
        AdminRoute(
            "POST", "reports/{id}/decide", .moderate, "report.decide", details: ["action", "until"],
            form: RouteForm(
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
                    .need("report", .id), .need("action", .sentence), .need("reports", .list(.id)),
                    .need("seq", .position),
                ])
        ) { call throws(Refusal) in .write(try call.decision(about: call.report())) },
    ]
}

extension AdminCall {
    fileprivate func report() throws(Refusal) -> Int64 {
        guard let id = ReportEntry.id(named: value) else {
            throw Refusal(.notFound, "there is no report \(value)", field: "report")
        }
        return id
    }

    fileprivate func decision(about id: Int64) throws(Refusal) -> DecideReport {
        let body = try request.object()
        try body.allow(["action", "until", "statement", "note", "key"])
        guard let action = body["action"]?.stringValue.flatMap(DecideReport.Action.init) else {
            throw Refusal.badRequest(field: "action", "is required: \(DecideReport.Action.form)")
        }
        let until = try body.time("until")
        guard until == nil || action == .mute || action == .ban else {
            throw Refusal.badRequest(field: "until", "goes with mute and ban alone")
        }
        let bytesMax = ModerationLimits.statementBytesMax
        return DecideReport(
            id, action, until: until, statement: try body.text("statement", bytesMax: bytesMax),
            note: body["note"] == nil ? nil : try body.text("note", bytesMax: bytesMax), key: try key(body))
    }

    /// The key in the header, or in the body.
    private func key(_ body: JSONObject) throws(Refusal) -> WriteKey? {
        let header = try request.key()
        guard let value = body["key"] else { return header }
        guard let key = value.stringValue.flatMap(WriteKey.init) else {
            throw Refusal.badRequest(field: "key", "must be \(WriteKey.form)")
        }
        return key
    }
}

extension JSONObject {
    /// A text that must be there.
    fileprivate func text(_ name: String, bytesMax: Int) throws(Refusal) -> String {
        guard let text = self[name]?.stringValue, (1...bytesMax).contains(text.utf8.count) else {
            throw Refusal.badRequest(field: name, "must be a text of 1 to \(bytesMax) bytes")
        }
        return text
    }
}
