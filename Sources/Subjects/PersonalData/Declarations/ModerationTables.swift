/// The tables of reports and restrictions, of the audit, and of erasures.
///
/// - Confinement: any
enum ModerationTables {
    static let reports = TableDeclaration(
        key: ["id"],
        [
            .numbers("id", "at", "n", "decided", "until"), .person("reporter", .pseudonym),
            .person("user", .pseudonym), .trace("chat", .chat), .trace("copy", .words),
            .texts("category", "action", are: .word),
            .texts("reason", are: .handled("TraceTable.clearReason takes the reporter's words")),
            .texts("statement", "note", are: .othersWords),
            .texts("by", are: .handled("the name of a moderator's token")),
        ],
        traces: .step(.reports), export: .lines([reportLines, reportOfLines]),
        kept: .swept("the sweep of reports deletes them with their documents"))

    static let restrictions = TableDeclaration(
        key: ["user", "kind"],
        [
            .person("user", .rowGoes("restriction")), .texts("kind", are: .word), .numbers("until", "at"),
            .texts("by", are: .handled("the name of an operator's token")), .texts("reason", are: .operators),
        ],
        export: .lines([restrictionLines]), kept: .over(by: "until"))

    static let audit = TableDeclaration(
        key: ["id"],
        [
            .numbers("id", "at"), .trace("target", .target), .trace("detail", .detail),
            .texts("actor", are: .handled("people answer for what they did, as long as the audit is kept")),
            .texts("jti", "request", are: .made),
            .texts(
                "address",
                are: .handled("the address of an administrator, or of a refused user, as long as the audit is kept")),
            .texts("action", "outcome", "kind", are: .word),
        ],
        traces: .rewritten, export: .omitted("the operator's own record"),
        kept: .swept("TrimLog deletes the oldest rows after a time"))

    static let erasures = TableDeclaration(
        key: ["id"],
        [
            .numbers("id", "at", "until", "invited", "phase", "finished"), .person("user", .pseudonym),
            .texts("hash", are: .handled("a keyed digest of the name")),
            .texts("name", are: .handled("clearName, as the last step")),
            .texts("pseudonym", are: .handled("the pseudonym itself")), .texts("mode", are: .word),
            .texts("documents", are: .operators), .texts("place", are: .handled("empty when the work is done")),
            .texts("counts", are: .handled("kinds with numbers")), .texts("kept", are: .handled("paths of others")),
        ],
        export: .omitted("about people who are gone"), kept: .state("certificates: a row for each erased person"))

    private static let reportLines = ExportedLines(
        "report", numbered: "reports.id", reportMembers + ", 'messages', \(reportedSQL)",
        withoutOthers: reportMembers, from: "reports JOIN users ON users.id = reports.user", of: "reporter = ?1")

    private static let reportMembers = """
        'report', 'r' || reports.id, 'at', \(ExportedLines.time("reports.at")), 'user', users.name, 'chat', chat, 'n', n,
        'category', category, 'reason', reason, 'state', iif(decided IS NULL, 'open', 'decided'), 'action', action
        """

    /// The copy for moderators, without earlier texts, and of others without texts: these may have been taken back since.
    private static let reportedSQL = """
        iif(copy IS NULL, NULL, (SELECT json(json_group_array(json(iif(value ->> 'from' = ?2, json_remove(value, '$.past'),
        json_remove(value, '$.past', '$.text', '$.product'))))) FROM json_each(copy)))
        """

    private static let reportOfLines = ExportedLines(
        "report", numbered: "id",
        """
        'report', 'r' || id, 'at', \(ExportedLines.time("at")), 'user', ?2, 'chat', chat, 'n', n,
        'category', category, 'state', iif(decided IS NULL, 'open', 'decided'), 'action', action,
        'until', \(ExportedLines.time("until")), 'statement', statement
        """,
        from: "reports", of: "user = ?1")

    private static let restrictionLines = ExportedLines(
        "restriction", place: "kind",
        """
        'restriction', kind, 'until', \(ExportedLines.time("until")), 'at', \(ExportedLines.time("at")),
        'reason', reason
        """,
        from: "restrictions", of: "user = ?1")
}
