package import ClientProtocol
import Model
import Push
import Store
import Triggers

/// The forms of the answers about triggers: rows, tests, runs, replays, and why somebody got something or nothing. They are
/// closed, so that a member which nobody described is found.
///
/// - Confinement: any
package enum TriggerAnswers {
    private static let path = ValueForm.Member.need("path", .sentence)
    private static let trigger = ValueForm.Member.need("trigger", .triggerName)
    private static let event = ValueForm.Member.need("event", .words(ChangeEvent.allCases.map(\.rawValue)))
    private static let level = ValueForm.words(InterruptionLevel.allCases.map(\.rawValue))
    private static let user = ValueForm.Member.need("user", .user)
    private static let verdict = ValueForm.Member.need("verdict", .sentence)
    private static let silence = ValueForm.words(Silence.allCases.map(\.rawValue))
    private static let language = ValueForm.Member.need("language", .either([.languageTag, .null]))
    private static let next = ValueForm.Member.may(
        "next", .explainCursor, "Where the next page begins; absent on the last.")

    private static func oneOf(_ word: String) -> ValueForm.Member { .need("effect", .words([word])) }

    // MARK: Rows

    private static let texts = ValueForm.either([.sentence, .named(.sentence, least: 1, names: .languageTag)])
    private static let columns: [ValueForm.Member] = [
        .need("name", .triggerName), .need("event", .words(WatchedEvent.allCases.map(\.rawValue))), path,
        .need("condition", .sentence), .need("audience", .either([.sentence, .list(.sentence, 1...Int.max)])),
        .need("kind", .sentence),
        .need("level", .either([level, .named(.sentence, least: 1, names: levelName)])),
        .mayBeNull("collapse", .sentence), .mayBeNull("ttl", .count), .need("title", texts), .need("body", texts),
        .need("data", .data), .mayBeNull("at", .sentence), .mayBeNull("webhook", .sentence), .need("enabled", .flag),
        // Rows of earlier versions lack the others.
        .mayBeNull("withdraw", .sentence), .mayBeNull("rearm", .sentence),
        .mayBeNull(
            "throttle",
            .object([.need("seconds", .count), .need("max", .count), .may("by", .words(["collapse"]))])),
        .may("alertOnce", .flag), .mayBeNull("with", .named(.sentence)), .mayBeNull("clock", .sentence),
        .mayBeNull("digest", .object([.need("title", texts), .need("body", texts)])),
        .may("mutes", .words(MuteRule.allCases.map(\.rawValue))), .may("acrossTopics", .flag),
        .mayBeNull("late", .words(LateNotice.allCases.map(\.rawValue))), .mayBeNull("repeat", .yes),
        .may("blocks", .words(BlockRule.allCases.map(\.rawValue))),
    ]
    private static let levelName = ValueForm.words(InterruptionLevel.allCases.map(\.rawValue) + ["else"])
    /// A row as it is stored.
    package static let row: [ValueForm.Member] =
        columns + [
            .may(
                TriggerDefinition.setAsideMember,
                .object([.need("reason", .sentence), SharedForms.seq, .need("at", .time)]),
                "Why the server has stopped it, and since when.")
        ]
    package static let listedRow = ValueForm.object(row + [.may("broken", .sentence, "Why it is stopped.")])
    /// By the names of triggers, what each did since the start.
    package static let counts = ValueForm.named(
        .object([
            .need("matched", .count), .need("fired", .count), .need("notifications", .count),
            .need("scheduled", .count),
            .need("skipped", .named(.count), "By the reason."), .need("failed", .count),
        ]), names: .triggerName)

    // MARK: What a trigger did

    /// The effect of a trigger on one change.
    private static func effects(_ members: [ValueForm.Member]) -> ValueForm {
        let members =
            members + [.may("withdrawn", .count), .may("moved", .time), .may("dropped", .time)]
        return .either([
            .object(members + [.need("notifications", .count)]), .object(members + [.need("scheduled", .time)]),
            .object(members + [.need("skipped", .sentence)]), .object(members + [.need("failed", .sentence)]),
        ])
    }

    /// In the answer to a write.
    package static let effect = effects([trigger])

    private static let ran: [ValueForm.Member] = [
        SharedForms.seq, .need("path", .either([.sentence, .null])), .may("at", .time),
    ]
    package static let run = ValueForm.either([
        .object(
            ran + [
                oneOf("notified"), .need("notifications", .count), .need("removed", .count),
                .need("first", SharedForms.notificationID),
            ]),
        .object(ran + [oneOf("scheduled"), .need("due", .time)]),
        .object(ran + [oneOf("failed"), .need("reason", .sentence)]),
    ])

    package static let replay: [ValueForm.Member] = [
        trigger, .need("dryRun", .flag), .need("from", .position), .need("to", .position),
        .may("knownFrom", .position, "The first position that is still known, when from lies before it."),
        .need("sent", .count), .need("scheduled", .count), .need("skipped", .count), .need("failed", .count),
        .need(
            "changes", .list(effects([SharedForms.seq, path, event, .may("at", .time), .may("audience", .sentence)]))),
        .may("next", .position, "Where the next part begins; absent at the end."),
    ]

    // MARK: What a trigger would do

    /// A side of the change, and where it came from.
    private static let source = ValueForm.words(["stored", "given", "history", "none"])
    private static let expression = ValueForm.object([
        .need("expression", .sentence), .need("isTrue", .flag), .may("value", .sentence),
        .may("type", .words(["null", "integer", "real", "text", "blob"])), .may("failure", .sentence),
    ])
    private static let mismatch = ValueForm.either([
        .object([
            .need("message", .sentence), .need("part", .either([.count, .null])), .need("expected", .sentence),
            .need("found", .sentence),
        ]),
        .object([
            .need("message", .sentence), event, .need("watched", .words(WatchedEvent.allCases.map(\.rawValue))),
        ]),
    ])
    private static let rendering = ValueForm.object([
        .need("field", .sentence), .need("template", .sentence), .need("text", .either([.sentence, .null])),
        .may("missing", .list(.sentence)),
    ])
    private static let notification = ValueForm.object([
        .need("audience", .sentence), .need("kind", .sentence), .need("level", level), .may("collapse", .sentence),
        .may("expires", .time),
        .need(
            "texts", .named(.object([.need("title", .sentence), .need("body", .sentence)]), least: 1),
            "By language; those for all others have an empty name."),
        .need("data", .data), .may("blocks", .words([BlockRule.ignore.rawValue])),
    ])
    private static let recipient = ValueForm.object([
        user, .need("sent", .flag), language, .need("title", .sentence), .need("body", .sentence),
        .need("alert", .flag),
        .may("due", .time, "By the person's own clock."),
        .may("reason", silence), .need("says", .sentence), .may("known", .no),
    ])
    private static let side = ValueForm.either([.data, .null])
    package static let test: [ValueForm.Member] = [
        trigger, .need("row", .words(["stored", "given"])), .need("enabled", .flag), path, event, .need("now", .time),
        .need("before", source), .need("after", source), .need("matched", .flag), .may("mismatch", mismatch),
        .may("names", .named(.sentence)), .may("condition", expression), .may("at", expression),
        .need("outcome", .words(["notify", "schedule", "skip", "fail"])), .may("reason", .sentence),
        .may("scheduled", .time), .may("field", .sentence), .may("templates", .list(rendering)),
        .may("missing", .list(.sentence)), .may("withdraws", .list(SharedForms.notificationID)),
        .may("fails", .sentence), .may("notification", notification), .may("replaces", SharedForms.notificationID),
        .may("audience", .object([.need("to", .sentence), .need("size", .count)])),
        .may("nobody", .list(.sentence), "Why parts of the audience are nobody."),
        .may("recipients", .list(recipient)), .may("more", .count),
        .may(
            "webhook",
            .object([
                .need("url", .sentence),
                .need(
                    "data",
                    .object([
                        trigger, path, event, .need("before", side), .need("after", side),
                        .need("notification", notification),
                    ])),
            ])),
    ]

    // MARK: Why

    /// A step from a write to a person.
    private static func step(_ name: String, _ facts: [ValueForm.Member]) -> ValueForm {
        .object(
            [.need("step", .words([name])), .need("holds", .either([.flag, .null])), .need("says", .sentence)] + facts)
    }

    private static let write = step(
        "write",
        [
            SharedForms.seq, .may("path", .sentence), .may("event", .words(ChangeEvent.allCases.map(\.rawValue))),
            .may("command", .sentence), .may("at", .time), .may("by", .sentence),
        ])
    private static let job: [ValueForm.Member] = [
        .need("job", .number), .need("kind", .words(PushKind.allCases.map(\.rawValue))),
        .need("jobState", .words(PushJobEntry.State.allCases.map(\.rawValue))), .may("device", .sentence),
        .may("platform", .words(PushPlatform.allCases.map(\.rawValue))),
        .may("state", .words(PushTryEntry.State.allCases.map(\.rawValue))), .may("status", .integer(0...999)),
        .may("attempts", .count), .may("answer", .sentence), .may("at", .time), .may("due", .time),
    ]
    private static let push = step("push", job)
    private static let trail = ValueForm.Member.need(
        "trail",
        .list(
            .either([
                write, push, step("trigger", [trigger, .may("row", .object(columns)), .may("rowSince", .position)]),
                step("condition", [.may("condition", expression)]),
                step("schedule", [.may("moved", .time), .may("dropped", .time)]),
                step(
                    "notification",
                    [
                        .need("id", SharedForms.notificationID), .need("kind", .sentence), .need("level", level),
                        .need("topic", .sentence), .need("at", .time), .may("silence", silence),
                    ]),
                step(
                    "audience", [.may("user", .user), .may("since", .position), .may("reason", .words(["blocked"]))]),
                step("decision", [.need("alert", .flag), .may("reason", silence), language]),
                step("delivered", [.need("acknowledged", .position)]), step("seen", []),
                step("removed", [.need("reason", .sentence), .may("seq", .position)]),
                step("expiry", [.may("expires", .time)]),
                step("withdrawn", [.need("ids", .list(SharedForms.notificationID, 1...Int.max))]),
            ])))
    package static let notificationExplained: [ValueForm.Member] = [
        .need("id", SharedForms.notificationID), .need("user", .either([.user, .null])), verdict, trail,
    ]
    private static let pathExplained: [ValueForm.Member] = [
        path, user, .need("knownFrom", .position), .need("changes", .list(.object([.need("write", write), reasons]))),
        .may("broken", .list(.object([trigger, .need("broken", .sentence)]))), .may("push", .list(push)), verdict,
    ]
    private static let reasons = ValueForm.Member.need(
        "triggers",
        .list(
            .object([
                trigger, .need("says", .sentence), .need("sent", .flag), .may("id", SharedForms.notificationID),
                .may("reason", .words(["blocked"])), trail,
            ])))
    private static func waiting(_ what: String, _ members: [ValueForm.Member]) -> ValueForm {
        .object([.need("what", .words([what])), .need("due", .time), .need("says", .sentence)] + members)
    }
    private static let pending: [ValueForm.Member] = [
        user,
        .need(
            "pending",
            .list(
                .either([
                    waiting(
                        "trigger",
                        [
                            trigger, path, SharedForms.seq, .need("audience", .sentence), .need("kind", .sentence),
                            .need("level", level), .need("title", .sentence), .may("expires", .time),
                        ]),
                    waiting(
                        "snooze",
                        [
                            .need("id", SharedForms.notificationID), .may("title", .sentence), .may("kind", .sentence),
                            .may("level", level),
                        ]),
                    waiting("digest", [.need("subject", .sentence)]),
                ]))), next, verdict,
    ]
    /// Of a document's changes, or of what is still to come.
    package static let explained = ValueForm.either([.object(pathExplained), .object(pending)])
}

extension ValueForm {
    /// The member `next` of what is pending.
    package static let explainCursor = text(1...1200, pattern: "^(0|[1-9][0-9]{0,17}) [a-z0-9-]{1,64} [!-~]{1,1024}$")
}
