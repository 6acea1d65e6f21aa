import ClientProtocol
import Model
import Store

/// The forms of what answers of the HTTP API have in common. They are closed, so that a member which nobody described is found.
///
/// - Confinement: any
enum RouteAnswers {
    private static let at = ValueForm.Member.need("at", .time)
    private static let user = ValueForm.Member.need("user", .person)
    private static let by = ValueForm.Member.need("by", .sentence, "The administrator.")
    private static let attempts = ValueForm.Member.need("attempts", .count)
    private static let status = ValueForm.Member.may("status", .integer(0...999))
    /// The number of something, which is a text in most answers.
    private static let id = ValueForm.Member.need("id", .number)

    // MARK: People

    static let revocation: [ValueForm.Member] = [
        id, .may("jti", .sentence), .may("user", .person), .may("before", .time), .need("until", .time), at, by,
        .may("reason", .sentence),
    ]
    static let restriction: [ValueForm.Member] = [
        .need("kind", .words(["mute", "ban"])), .need("until", .either([.time, .null])), .need("reason", .sentence), at,
        by,
    ]
    static let limits = ValueForm.Member.need("limits", .either([.named(.sentence), .null]))
    static let report: [ValueForm.Member] = [
        .need("report", .id), at, .need("state", .words(["open", "decided"])), user, .need("reporter", .person),
        .need("category", .words(ReportCategory.allCases.map(\.rawValue))), .may("chat", .anyChat), .may("n", .count),
        .may("reason", .sentence), .may("action", .words(["dismiss", "warn", "delete", "mute", "ban"])),
        .may("until", .time),
        .may("statement", .sentence), .may("note", .sentence), .may("decidedAt", .time), .may("by", .sentence),
    ]
    /// A message as a report copied it.
    static let copy = ValueForm.object([
        .need("n", .count), .need("from", .person), at, .may("text", .sentence), .may("product", SharedForms.product),
        .may("replyTo", .count),
        .may("editedAt", .time), .may("deletedAt", .time),
        .may(
            "past",
            .list(
                .object([
                    .need("rev", .count), .need("until", .time), .may("text", .sentence),
                    .may("product", SharedForms.product),
                ]))),
        .may("omitted", .count, "Its texts that are kept and not in the copy."),
    ])
    /// How many rows went, by their kinds.
    static let rows = ValueForm.Member.need("rows", .named(.count))
    static let certificate: [ValueForm.Member] = [
        .need("erasure", .id), .need("pseudonym", .person), .need("messages", .words(["redact", "keep", "remove"])), at,
        .need("state", .words(["running", "done"])), rows, .need("kept", .list(.documentPath)),
        .need("refusedUntil", .either([.time, .null])),
        .need(
            "log", .object([.need("mayHaveNameUpTo", .time)]), "Lines of the server's log up to then may have the name."
        ),
        .may("step", .count), .may("steps", .count),
        .may("finished", .time), .may("journalForgets", .time, "On a cluster: when the journal has no entry of it."),
        .may("copiesForget", .time, "When the copies that this server makes by itself have no trace of it."),
    ]

    // MARK: What leaves the machine

    static let webhook: [ValueForm.Member] = [
        .may("id", .number), .need("url", .sentence), .need("state", .words(["ok", "failing", "disabled", "unused"])),
        .need("pending", .count), .may("next", .time), .may("failures", .count), .may("disabled", .time),
        .may("at", .time), status,
        .may("answer", .sentence), .need("triggers", .list(.sentence)),
    ]
    static let delivery: [ValueForm.Member] = [
        id, .need("webhookId", .sentence), .need("webhook", .number), .need("url", .sentence),
        .need("trigger", .sentence),
        .need("path", .sentence), .need("event", .sentence), SharedForms.seq, .need("time", .time),
        .need("state", .words(["pending", "delivered", "dead"])), attempts, .may("next", .time), .may("at", .time),
        status,
        .may("answer", .sentence),
    ]
    static let dead: [ValueForm.Member] = [
        .need("id", .count), .need("kind", .words(["trigger", "webhook", "push"])), .need("trigger", .sentence),
        .need("path", .sentence), SharedForms.seq, .need("reason", .sentence), at, .may("delivery", .number),
        .may("webhookId", .sentence), .may("url", .sentence), .may("job", .number), .may("device", .number),
        .may("attempts", .count), status, .may("answer", .sentence),
    ]
    private static let platform = ValueForm.words(PushPlatform.allCases.map(\.rawValue))
    static let device: [ValueForm.Member] = [
        id, .need("user", .sentence), .need("device", .sentence), .need("platform", platform), at,
        .may("lastPush", .time),
        .may("problem", .sentence), .need("used", .time),
        .need("privacy", .words(PushPrivacy.allCases.map(\.rawValue))),
        .need("failures", .count),
    ]
    static let job: [ValueForm.Member] = [
        id, .need("kind", .sentence), .need("state", .words(["waiting", "begun", "ended"])),
        .need("level", .words(InterruptionLevel.allCases.map(\.rawValue))), SharedForms.seq, .may("chat", .sentence),
        .may("user", .sentence), .may("topic", .sentence), .may("n", .count),
        .may("notification", SharedForms.notificationID), at,
        .need("due", .time), .need("ends", .time), .need("pushed", .count), .need("skipped", .count),
        .need("failed", .count),
        .may("previous", .number), .may("large", .yes),
    ]
    static let attempt = ValueForm.object([
        id, .may("user", .person), .may("device", .sentence), .may("platform", platform), .need("state", .sentence),
        attempts, at,
        .may("next", .time), status, .need("answer", .sentence),
    ])
    static let trial = ValueForm.object([
        id, .need("device", .sentence), .need("platform", platform), .may("state", .sentence), status,
        .may("answer", .sentence),
        .may("milliseconds", .count),
    ])

    // MARK: The server

    static let audited = ValueForm.object([
        .need("id", .count), at, .need("actor", .sentence),
        .may("kind", .words(ActorKind.allCases.map(\.rawValue)), "Absent in rows of earlier versions."),
        .may("jti", .sentence), .need("address", .sentence),
        .need("request", .sentence), .need("action", .sentence), .need("target", .sentence),
        .may("detail", .named(.either([.sentence, .fraction, .flag]))),
        .need("outcome", .sentence),
    ])
}
