import Log
import Store

/// The tables of notifications, and of what people have seen, snoozed and gathered.
///
/// - Confinement: any
enum InboxTables {
    static let notifications = TableDeclaration(
        key: ["seq"],
        [
            .numbers("seq", "at", "expires", "change", "broadcast", "removed_at", "origin"),
            .person(
                "stream",
                .traced("RelationErasure deletes those in the inbox, NotificationErasure those that were taken out")),
            .trace("path", .path), .trace("topic", .topic), .trace("others", .topics), .trace("collapse", .words),
            .trace("data", .words), .trace("texts", .words), .texts("kind", "trigger", are: .operators),
            .texts("level", "removed", "silence", are: .word),
            .texts("zones", are: .handled("time zones of an audience")),
        ],
        traces: .step(.notifications), export: .command("`notifications`"),
        kept: .swept("LogRetention and SweepNotifications delete those that were taken away, or are too old"))

    static let seen = TableDeclaration(
        key: ["user", "seq"], [.person("user", .rowGoes("seen")), .numbers("seq")],
        export: .command("`seen` of a notification"), kept: .with(.notifications))

    static let archived = TableDeclaration(
        key: ["user", "seq"], [.person("user", .rowGoes("archived")), .numbers("seq", "removal")],
        export: .lines([archivedLines]), kept: .with(.notifications))

    static let snoozes = TableDeclaration(
        key: ["user", "seq"],
        [
            .person("user", .rowGoes("snooze")), .numbers("seq", "due"), .trace("path", .path),
            .texts("trigger", are: .operators),
        ],
        traces: .rowGoes, export: .lines([snoozeLines]), kept: .state("until the notification comes back"))

    static let topicCounts = TableDeclaration(
        key: ["user"], [.person("user", .rowGoes("mark")), .numbers("up_to", "unread")],
        export: .omitted("a sum over notifications, which are exported"), kept: .state("one row for a person"))

    static let withheld = TableDeclaration(
        key: ["seq", "user"], [.numbers("seq"), .person("user", .pseudonym)],
        export: .omitted("whom somebody blocks is exported as a block"), kept: .with(.notifications))

    static let entryStreams = TableDeclaration(
        key: ["stream", "seq"],
        [.person("stream", .handled("goes with its notification")), .numbers("seq")],
        export: .omitted("a notification's further topics, which is exported"), kept: .with(.notifications))

    static let toldStreams = TableDeclaration(
        key: ["seq", "stream"], [.numbers("seq"), .person("stream", .handled("goes with its notification"))],
        export: .omitted(Self.work), kept: .with(.notifications))

    static let toldAcross = TableDeclaration(
        key: ["trigger", "collapse", "seq"],
        [.texts("trigger", are: .operators), .trace("collapse", .words), .numbers("seq")],
        traces: .step(.notificationWords), export: .omitted(Self.work), kept: .with(.notifications))

    static let digests = TableDeclaration(
        key: ["user", "subject"],
        [
            .person("user", .rowGoes("digest")), .trace("subject", .digestSubject),
            .numbers("due", "since", "look_back"),
        ],
        traces: .rowGoes, export: .omitted(Self.work), kept: .state("until the digest was written"))

    static let digestFirsts = TableDeclaration(
        key: ["user", "seq"], [.person("user", .rowGoes("digest")), .numbers("seq")],
        export: .omitted(Self.work), kept: .log(by: "seq"))

    static let digestEntries = TableDeclaration(
        key: ["user", "subject", "seq"],
        [.person("user", .rowGoes("digest")), .trace("subject", .digestSubject), .numbers("seq")],
        traces: .rowGoes, export: .omitted("a digest lies in the inbox, which is exported"), kept: .log(by: "seq"))

    static let digestRevisions = TableDeclaration(
        key: ["seq"], [.numbers("seq")], export: .omitted("has no person"), kept: .state("until the digest is revised"))

    static let broadcasts = TableDeclaration(
        key: ["id"],
        [
            .numbers("id", "seq", "size", "at", "cancelled", "due", "sent"), .trace("audience", .topic),
            .texts(
                "wanted",
                are: .handled("the operator's words; forgetWords clears those of a broadcast to the person alone")),
            .texts("earlier", are: .handled("positions")),
        ],
        traces: .rewritten, export: .omitted("the operator's; what reached the person is in the inbox"),
        kept: .swept("LogRetention deletes them with their notifications"))

    static let broadcastPeople = TableDeclaration(
        key: ["broadcast", "user"],
        [.numbers("broadcast", "part", "seq", "gone"), .person("user", .rowGoes("broadcast"))],
        export: .omitted("the operator's list; what reached the person is in the inbox"), kept: .with(.broadcasts))

    private static let work = "the server's own work, which ends by itself"

    /// The lists of notifications leave these out. The words are the sender's, and are not kept for this person.
    private static let archivedLines = ExportedLines(
        "archived", numbered: "archived.seq", "'notification', 'n' || archived.seq, 'topic', n.topic, 'seq', removal",
        from: "archived LEFT JOIN notifications n ON n.seq = archived.seq", of: "user = ?1")

    private static let snoozeLines = ExportedLines(
        "snooze", numbered: "seq", "'notification', 'n' || seq, 'until', \(ExportedLines.time("due"))",
        from: "snoozes", of: "user = ?1")
}
