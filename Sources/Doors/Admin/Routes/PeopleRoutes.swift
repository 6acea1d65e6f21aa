import Authentication
import ClientProtocol
import Configuration
import JSON
import Model
import Notifying
import Privacy
import Services
import Telemetry
import Wire

/// `/v1/users/ID/…`, `/v1/chats/CHAT/messages` and `/v1/revocations…`.
///
/// - Confinement: any
enum PeopleRoutes {
    private static let auditedReason = ValueForm.Member.mayBeNull("reason", .text(1...Limits.auditReasonCharactersMax))
    private static let closing: [ValueForm.Member] = [
        .need("user", .user), .need("deactivated", .flag), .need("seq", .position),
    ]
    private static let reason = ValueForm.Member.mayBeNull("reason", .text(1...40), "At most 120 bytes.")
    /// Paths of documents in which * stands for one part.
    private static let pattern = ValueForm.text(
        3...1024, pattern: #"^([A-Za-z0-9_.@:-]{1,64}|\*)/([A-Za-z0-9_.@:-]{1,64}|\*)$"#)

    static let all: [AdminRoute] = [
        AdminRoute(
            "POST", "users/{user}/kick", .operate, "user.kick", details: ["reason", "revoke"],
            form: RouteForm(
                "Ends every session of a user.", body: .maybe([reason, .may("revoke", .flag)]),
                [.need("user", .user), .need("seq", .position), .may("revocation", .number)])
        ) { call throws(Refusal) in
            let user = try call.user()
            let body = call.request.body.isEmpty ? [:] : try call.request.object()
            try body.allow(["reason", "revoke"])
            let revokes = try body.flag("revoke") ?? false
            return .write(KickUser(user, reason: try body.reason(), revokes: revokes, key: try call.request.key()))
        },
        // The command `preferences`, for the application.
        AdminRoute(
            "GET", "users/{user}/preferences", .read, "preferences.get",
            form: RouteForm("The preferences of a user.", .json(SharedForms.preferences))
        ) { call throws(Refusal) in .read(ReadPreferences(of: try call.user())) },
        AdminRoute(
            "PUT", "users/{user}/preferences", .publish, "preferences.put",
            form: RouteForm(
                "Puts preferences in place of those that are there.", body: .json(SharedForms.preferencesPatch),
                .json(SharedForms.preferences))
        ) { call throws(Refusal) in try call.changePreferences(replacing: true) },
        AdminRoute(
            "PATCH", "users/{user}/preferences", .publish, "preferences.patch",
            form: RouteForm(
                "Changes preferences by a merge patch.", body: .json(SharedForms.preferencesPatch),
                .json(SharedForms.preferences))
        ) { call throws(Refusal) in try call.changePreferences(replacing: false) },
        AdminRoute(
            "GET", "users/{user}/export", .data, "user.export", details: ["others"], isStream: true,
            form: RouteForm(
                "Everything that is kept about a user, as lines of JSON.",
                query: [.may("others", .words(["omit"]), "Leaves out the texts of others.")],
                .other("application/x-ndjson"))
        ) { call throws(Refusal) in .export(try call.export(), try call.request.claims(at: call.door)) },
        AdminRoute(
            "DELETE", "users/{user}", .data, "user.erase", details: ["messages", "reason", "dryRun"],
            form: RouteForm(
                "Erases a user in slices; a dry run only counts, with status 200.",
                body: .maybe([
                    .may("messages", .words(ErasureMode.allCases.map(\.rawValue))),
                    auditedReason,
                    .mayBeNull("documents", .list(pattern, 0...ErasureLimits.patterns)), .may("dryRun", .flag),
                ]), status: 202, others: [200: [.need("user", .user), .need("dryRun", .yes), RouteAnswers.rows]],
                [.need("erasure", .id), .need("pseudonym", .person), .need("seq", .position)])
        ) { call throws(Refusal) in try call.erasure() },
        AdminRoute(
            "PUT", "users/{user}", .data, "user.invite",
            form: RouteForm(
                "Makes a user known; the name of an erased person may come in again.",
                [.need("user", .sentence), .need("isNew", .flag), .need("seq", .position)])
        ) { call throws(Refusal) in .write(InviteUser(try call.user(), key: try call.request.key())) },
        AdminRoute(
            "POST", "users/{user}/deactivate", .data, "user.deactivate", details: ["reason"],
            form: RouteForm(
                "Closes the account of somebody who has left: sessions, tokens, registrations, scheduled texts.",
                body: .maybe([auditedReason]),
                .members(
                    closing + [
                        .may("devices", .count, "Registrations for pushes that ended."),
                        .may("scheduled", .count, "Scheduled notifications that went."),
                    ]))
        ) { call throws(Refusal) in try call.closing(isOn: true) },
        AdminRoute(
            "POST", "users/{user}/reactivate", .data, "user.reactivate", details: ["reason"],
            form: RouteForm(
                "Opens a closed account again.",
                body: .maybe([auditedReason]), .members(closing))
        ) { call throws(Refusal) in try call.closing(isOn: false) },
        AdminRoute(
            "GET", "erasures/{erasure}", .data, "erasure.get",
            form: RouteForm(
                "How far an erasure is, and in the end its certificate.", .members(RouteAnswers.certificate))
        ) { call in
            let settings = call.door.settings
            return .read(
                ReadErasure(
                    call.value, journalAgeSeconds: settings.standing.now.journalAgeSecondsMax,
                    copyMilliseconds: settings.configuration.backups.copyMilliseconds))
        },
        AdminRoute(
            "GET", "chats/{chat}/messages", .admin, "chat.read", details: ["reason", "before", "after"],
            form: RouteForm(
                "The messages of a chat; the reason stands in the audit.",
                query: [
                    .need("reason", .text(1...Limits.auditReasonCharactersMax)),
                    .may("before", .integer(1...Int64.max)), .may("after", .integer(0...Int64.max)), .limit,
                ], [.need("messages", .list(SharedForms.listedMessage)), .next])
        ) { call throws(Refusal) in .content(try call.conversation()) },
        AdminRoute(
            "GET", "revocations", .read, "revocation.list",
            form: RouteForm(
                "The revocations in force.", query: [.before, .limit],
                [.need("revocations", .list(.object(RouteAnswers.revocation))), .next])
        ) { call throws(Refusal) in
            .read(ListRevocations(before: call.query("before"), limit: try call.request.limit()))
        },
        AdminRoute(
            "POST", "revocations", .operate, "revocation.add", details: ["jti", "user", "before", "until", "reason"],
            form: RouteForm(
                "Revokes a token, or all tokens of a user.",
                body: .json(
                    .either([
                        .object([.need("jti", .text(1...64)), .mayBeNull("until", .time), reason]),
                        .object([.need("token", .text(1...Int.max)), .mayBeNull("until", .time), reason]),
                        .object([.need("user", .user), .mayBeNull("before", .time), .mayBeNull("until", .time), reason]
                        ),
                    ])), links: [.init(action: "revocation.lift", parameter: "id", member: "id")],
                .members(RouteAnswers.revocation + [SharedForms.seq]))
        ) { call throws(Refusal) in
            let body = try RevocationBody(call.request.object(), at: call.door)
            return .write(
                RevokeTokens(body.subject, until: body.until, reason: body.reason, key: try call.request.key()))
        },
        AdminRoute(
            "DELETE", "revocations/{id}", .operate, "revocation.lift",
            form: RouteForm(
                "Ends a revocation.", .members(RouteAnswers.revocation + [.need("lifted", .yes), SharedForms.seq]))
        ) { call throws(Refusal) in .write(LiftRevocation(id: try call.number(of: "revocation"))) },
    ]
}

extension AdminCall {
    /// An administrator is no member of any chat, and says why it is to be read: the reason stands in the audit.
    fileprivate func conversation() throws(Refusal) -> ReadConversation {
        guard let chat = ChatID(value) else { throw Refusal.badRequest(field: "chat", "must be \(ChatID.form)") }
        guard let reason = query("reason"), (1...Limits.auditReasonCharactersMax).contains(reason.unicodeScalars.count)
        else {
            throw Refusal.badRequest(
                field: "reason",
                "is required: a text of 1 to \(Limits.auditReasonCharactersMax) characters, kept in the audit")
        }
        let (before, after) = (try messageNumber("before", from: 1), try messageNumber("after", from: 0))
        guard before == nil || after == nil else {
            throw Refusal.badRequest(field: "after", "must not be given together with before")
        }
        return ReadConversation(chat, before: before, after: after, limit: try request.limit())
    }

    fileprivate func export() throws(Refusal) -> UserExport {
        let others = query("others")
        guard others == nil || others == "omit" else {
            throw Refusal.badRequest(field: "others", "must be omit, or be left out")
        }
        return UserExport(of: try user(), omitsOthers: others != nil, at: door.settings.clock.now())
    }

    fileprivate func erasure() throws(Refusal) -> Route {
        let user = try user()
        let body = request.body.isEmpty ? [:] : try request.object()
        try body.allow(["messages", "reason", "dryRun", "documents"])
        let word = body["messages"] ?? .string(ErasureMode.redact.rawValue)
        guard let mode = word.stringValue.flatMap(ErasureMode.init) else {
            throw Refusal.badRequest(field: "messages", "must be \(ErasureMode.form)")
        }
        try body.checkAuditedReason()
        let documents = try body.patterns()
        if try body.flag("dryRun") ?? false { return .read(CountErasure(user)) }
        do {
            let chance = try ErasureChance.drawn()
            return .write(EraseUser(user, mode, documents: documents, chance: chance, key: try request.key()))
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw Refusal(.internal, "the machine gives no random numbers")
        }
    }

    fileprivate func closing(isOn: Bool) throws(Refusal) -> Route {
        let body = request.body.isEmpty ? [:] : try request.object()
        try body.allow(["reason"])
        try body.checkAuditedReason()
        return .write(DeactivateUser(try user(), isOn: isOn, key: try request.key()))
    }

    private func messageNumber(_ field: String, from least: MessageNumber) throws(Refusal) -> MessageNumber? {
        guard let text = query(field) else { return nil }
        guard let number = MessageNumber(text), number >= least else {
            throw Refusal.badRequest(field: field, "must be the number of a message, or the member next of a page")
        }
        return number
    }

    fileprivate func changePreferences(replacing: Bool) throws(Refusal) -> Route {
        let user = try user()
        return .write(try ChangePreferences(request.object(), of: user, replacing: replacing, key: request.key()))
    }
}

/// The body of `POST /v1/revocations`: one of `jti`, `token` and `user`.
///
/// - Confinement: any
struct RevocationBody {
    let subject: RevokeTokens.Subject
    let until: Timestamp?
    let reason: String?

    /// - Throws: `Refusal` naming the field.
    init(_ body: JSONObject, at door: any RequestDoor) throws(Refusal) {
        try body.allow(["jti", "token", "user", "before", "until", "reason"])
        reason = try body.reason()
        let until = try body.time("until")
        let before = try body.time("before")
        let given = ["jti", "token", "user"].filter { body[$0] != nil }
        guard given.count == 1, let name = given.first, let text = body[name]?.stringValue, !text.isEmpty else {
            throw Refusal.badRequest(field: given.first ?? "jti", "is required: one of jti, token and user, a text")
        }
        guard before == nil || name == "user" else {
            throw Refusal.badRequest(field: "before", "requires user: tokens of that user issued before it are revoked")
        }
        switch name {
        case "user":
            guard let user = UserID(admitted: text) else {
                throw Refusal.badRequest(field: "user", "must be \(UserID.form)")
            }
            subject = .user(user, issuedUpTo: before)
            self.until = until
        case "token":
            // Like RFC 7009: the token itself tells its name and how long this must be remembered.
            let claims = try door.read(token: text)
            guard let id = claims.tokenID else {
                throw Refusal.badRequest(field: "token", "has no jti; revoke all tokens of its user instead")
            }
            subject = .token(id)
            self.until = until ?? claims.expiresAt
        default:
            guard text.utf8.count <= 256 else { throw Refusal.badRequest(field: "jti", "must be at most 256 bytes") }
            subject = .token(text)
            self.until = until
        }
    }
}

extension JSONObject {
    /// The reason for the audit alone, which takes it from the body.
    fileprivate func checkAuditedReason() throws(Refusal) {
        guard let reason = self["reason"], !reason.isNull else { return }
        let characters = reason.stringValue?.unicodeScalars.count ?? 0
        guard (1...Limits.auditReasonCharactersMax).contains(characters) else {
            throw Refusal.badRequest(
                field: "reason", "must be a text of 1 to \(Limits.auditReasonCharactersMax) characters")
        }
    }

    /// Patterns of documents that go with a person.
    fileprivate func patterns() throws(Refusal) -> [String] {
        guard let value = self["documents"], !value.isNull else { return [] }
        let texts = value.arrayValue?.compactMap(\.stringValue) ?? []
        guard let count = value.arrayValue?.count, texts.count == count, count <= ErasureLimits.patterns,
            texts.allSatisfy({ DocumentGlob($0).isPath })
        else {
            throw Refusal.badRequest(
                field: "documents",
                "must be at most \(ErasureLimits.patterns) paths in which * stands for one part, such as reviews/*")
        }
        return texts
    }

    /// The reason that a user may see, and that the list of revocations shows; nil without one.
    fileprivate func reason() throws(Refusal) -> String? {
        guard let value = self["reason"], !value.isNull else { return nil }
        guard let text = value.stringValue, (1...Limits.kickReasonBytesMax).contains(text.utf8.count) else {
            throw Refusal.badRequest(field: "reason", "must be a text of 1 to \(Limits.kickReasonBytesMax) bytes")
        }
        return text
    }
}
