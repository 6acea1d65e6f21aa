import ClientProtocol
import Feeds
import Model
import Quotas
import Telemetry
import ThreadMessages

/// The forms of the answers about the server and what works beside it: figures, feeds, the nodes of a cluster. They
/// are closed, so that a member which nobody described is found.
///
/// - Confinement: any
enum ServerAnswers {
    private static func orNull(_ name: String, _ form: ValueForm, _ meaning: String = "") -> ValueForm.Member {
        .need(name, .either([form, .null]), meaning)
    }

    // MARK: Feeds

    private static let wanted = ValueForm.list(.sentence)
    private static func feed(_ kind: FeedDefinition.Kind, _ members: [ValueForm.Member]) -> ValueForm {
        .object(
            [
                .need("name", .triggerName), .need("kind", .words([kind.rawValue])), .need("url", .sentence),
                .need("interval", .sentence),
            ] + members + [
                .need("requestsPerSecond", .count), .need("backfill", .flag), .need("enabled", .flag),
                .need("hasKey", .flag), .need("source", .words(["configuration", "database"])),
                .need("state", .either([.object(state), .object([])]), "Empty until its thread has come to it."),
            ])
    }
    private static let state: [ValueForm.Member] = [
        orNull("lastSuccess", .time), orNull("lastError", .sentence), orNull("lastErrorAt", .time),
        orNull("remark", .sentence), orNull("nextRun", .time), .need("failing", .count), .need("waiting", .count),
        .need("rounds", .count),
        .need("requests", .count), .need("unchanged", .count), .need("written", .count), .need("failures", .count),
    ]
    /// A feed without its key, and how it does.
    static let feed = ValueForm.either([
        feed(.tmdb, [.need("people", wanted), .need("series", wanted), orNull("language", .sentence)]),
        feed(.gios, [.need("stations", wanted), .need("pollutants", .list(.sentence))]),
        feed(.rss, [.need("collection", .sentence)]),
    ])
    static let feedTrial: [ValueForm.Member] = [
        .need("name", .triggerName),
        .need(
            "requests",
            .list(
                .object([
                    .need("target", .sentence), .need("url", .sentence), .may("status", .integer(0...999)),
                    .may("bytes", .count), .may("found", .count), .may("remark", .sentence), .may("error", .sentence),
                ]))),
        .need(
            "documents",
            .list(
                .either([
                    .object([
                        .need("path", .documentPath), .need("change", .words(["create", "update"])),
                        .need("data", .data),
                    ]),
                    .object([
                        .need("path", .documentPath), .need("change", .words(["delete"])), .need("data", .null),
                    ]),
                ]))), .need("left", .count, "How many requests it did not come to."),
    ]

    // MARK: Copies

    static let backups: [ValueForm.Member] = [
        orNull("folder", .sentence, "null where the server makes no copies by itself."),
        .need("every", .sentence), .need("keep", .count),
        .need("verified", .flag, "Whether each copy is checked before it counts."),
        orNull("running", .time, "Since when one is being made."),
        orNull(
            "failed", .object([.need("at", .time), .need("reason", .sentence)]),
            "The newest attempt, where it failed."),
        .need(
            "backups",
            .list(
                .object([
                    .need("name", .sentence), .need("at", .time), .need("bytes", .count),
                    .need("secrets", .flag, "Whether the files with secrets lie beside it."),
                ]))),
    ]

    // MARK: Figures

    private static let swept = ValueForm.object([
        .need("kept", .sentence), orNull("oldest", .time), .need("lastRun", .time), .need("removed", .count),
    ])
    static let statistics: [ValueForm.Member] =
        [
            .need("server", .sentence), .need("pid", .count), .need("epoch", .visible(64)),
            .need("ready", .sentence, "yes, or why no writes are taken."), .need("online", .count),
            SharedForms.seq, .need("users", .count), .need("chats", .count), .need("documents", .count),
            .need("triggers", .count), .need("dead", .count),
        ]
        + Metrics(peerMemory: PeerMemory(bytesMax: 1)).counted.map {
            .need($0.name, .integer(Int64.min...Int64.max), $0.help)
        }
        + [
            .need(
                "retention", .object(RetentionKind.allCases.map { .may($0.rawValue, swept) }),
                "The sweeps that have run here.")
        ]

    // MARK: Other nodes

    private static let verified = ValueForm.object([
        .need("number", .count), .need("entry", .count), .need("tables", .count), .need("rows", .count),
        .need("digest", .sentence), .need("milliseconds", .count), orNull("differs", .list(.sentence)),
    ])
    private static let role = ValueForm.Member.need("role", .words(["following", "leading", "stopped"]))
    private static let node = ValueForm.object([
        .need("node", .sentence), role, .need("term", .count), .need("applied", .count), .need("missing", .count),
        .need("schema", .count), .need("program", .sentence),
        orNull(
            "installed",
            .object([.need("program", .sentence), .need("schema", .count), .need("path", .sentence)])),
        orNull("settings", .sentence), orNull("zones", .sentence), .need("sessions", .count),
        orNull("verified", verified), .need("address", .sentence), .need("heardMilliseconds", .count),
        .need(
            "aheadMilliseconds", .integer(Int64.min...Int64.max),
            "By how much its clock is ahead of that of the node that answers."),
    ])
    static let cluster: [ValueForm.Member] = [
        .need("node", .sentence), role, orNull("leader", .sentence), .need("term", .count),
        .need("lagMilliseconds", .count), .need("nodes", .list(node)),
        .need(
            "journal",
            .object([
                .need("stream", .sentence), orNull("problems", .list(.sentence)), orNull("problem", .sentence),
                orNull("server", .sentence),
                orNull("leader", .sentence), .need("first", .count), .need("last", .count), .need("bytes", .count),
            ])),
    ]
}
