/// The tables of people, and of what they follow and want.
///
/// - Confinement: any
enum PeopleTables {
    static let users = TableDeclaration(
        key: ["id"],
        [
            .numbers(
                "id", "since", "unread_chats", "unread_inbox", "seen_up_to", "acknowledged", "follows", "rooms"),
            .texts("name", are: .handled("ErasureTable.rename gives the pseudonym")),
            .texts("language", "device_language", "zone", are: .handled("ErasureTable.rename clears them")),
            .trace("preferences", .json),
        ],
        traces: .step(.people), export: .lines([profileLines]), kept: .state("a person keeps the number for good"))

    static let follows = TableDeclaration(
        key: ["follower", "stream"],
        [
            .person("follower", .handled("RelationErasure ends each follow, since it counts the followers down")),
            .person("stream", .handled("RelationErasure ends them, with an event for each follower")),
            .numbers("since"),
        ],
        export: .lines([followLines, followedLines]), kept: .state("until the person unfollows"))

    static let pastFollows = TableDeclaration(
        key: ["follower", "until"],
        [
            .person("follower", .rowGoes("follow")),
            .person("stream", .handled("a topic that others followed; goes with the log")), .numbers("until", "since"),
        ],
        export: .omitted(Self.work), kept: .log(by: "until"))

    static let pastPreferences = TableDeclaration(
        key: ["user", "until"],
        [.person("user", .rowGoes("preferences")), .numbers("until"), .trace("preferences", .json)],
        traces: .rewritten, export: .omitted(Self.work), kept: .log(by: "until"))

    static let blocks = TableDeclaration(
        key: ["user", "other"],
        [.person("user", .rowGoes("block")), .person("other", .rowGoes("block")), .numbers("seq", "at")],
        export: .lines([blockLines]), kept: .state("until the person unblocks the other"))

    static let personLimits = TableDeclaration(
        key: ["user"],
        [
            .person("user", .rowGoes("limit")),
            .texts("limits", are: .handled("names of deeds with numbers")),
        ],
        export: .command("`limits` of the profile"), kept: .state("until an administrator takes them back"))

    /// A token that is revoked must stay revoked when a clock that was ahead goes back: so rows go long after their time.
    static let revocations = TableDeclaration(
        key: ["id"],
        [
            .numbers("id", "issued_up_to", "until", "at"), .trace("user", .user), .texts("token", are: .made),
            .texts("by", are: .handled("the name of an operator's token")), .texts("reason", are: .operators),
        ],
        traces: .rowGoes, export: .lines([revocationLines]), kept: .over(by: "until"))

    private static let work = "the server's own work, which ends by itself"

    private static let profileLines = ExportedLines(
        "profile", place: "'1'",
        """
        'user', name, 'since', since, 'language', language, 'deviceLanguage', device_language, 'zone', zone,
        'acknowledged', acknowledged, 'seenUpTo', seen_up_to,
        'limits', (SELECT json(limits) FROM person_limits WHERE user = users.id)
        """,
        from: "users", of: "id = ?1")

    private static let followLines = ExportedLines(
        "follow", place: "streams.name", "'topic', streams.name, 'since', follows.since",
        from: "follows JOIN streams ON streams.id = follows.stream", of: "follows.follower = ?1")

    private static let followedLines = ExportedLines(
        "followed", place: "users.name", "'by', users.name, 'since', follows.since",
        from: "follows JOIN users ON users.id = follows.follower",
        of: "follows.stream = (SELECT id FROM streams WHERE name = 'user:' || ?2)")

    private static let blockLines = ExportedLines(
        "block", place: "users.name", "'user', users.name, 'at', \(ExportedLines.time("blocks.at"))",
        from: "blocks JOIN users ON users.id = blocks.other", of: "blocks.user = ?1")

    private static let revocationLines = ExportedLines(
        "session", place: "'r'",
        """
        'revokedUpTo', \(ExportedLines.time("issued_up_to")), 'at', \(ExportedLines.time("at")),
        'until', \(ExportedLines.time("until")), 'reason', reason
        """,
        from: "revocations", of: "user = ?2")
}
