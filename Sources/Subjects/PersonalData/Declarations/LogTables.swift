import Log
import Store

/// The tables of the log.
///
/// - Confinement: any
enum LogTables {
    static let changes = TableDeclaration(
        key: ["seq"],
        [
            .numbers("seq", "n"),
            .person("stream", .handled("silenceInbox makes the entries of the person's inbox nobody's")),
            .person("second", .handled("silenceInbox, too")),
            .trace("body", .json),
        ],
        traces: .step(.entries), export: .omitted("events: the other kinds have what they say"),
        kept: .swept("LogRetention.trim deletes entries up to the position to which the log is trimmed"))

    static let streams = TableDeclaration(
        key: ["id"], [.numbers("id", "last", "followers"), .trace("name", .stream)],
        traces: .step(.streams), export: .omitted("names of inboxes and topics"),
        kept: .swept("StreamSweep deletes those that nobody follows and that have no entry"))

    static let keys = TableDeclaration(
        key: ["id"],
        [
            .numbers("id", "fingerprint", "at", "refused"), .person("user", .rowGoes("key")), .texts("key", are: .made),
            .trace("reply", .json),
        ],
        traces: .rewritten, export: .lines([keyLines]),
        kept: .swept("TrimLog deletes keys of some age, and those beyond the bound of bytes"))

    static let keyBytes = TableDeclaration(
        key: ["user"],
        [
            .person("user", .handled("the trigger key_gone counts down and deletes the row with the keys")),
            .numbers("bytes"),
        ],
        export: .omitted("a sum over keys, which are exported"), kept: .with(.keys))

    static let logMarks = TableDeclaration(
        key: ["seq"], [.numbers("seq", "at")], export: .omitted("has no person"),
        kept: .swept("LogRetention.trim deletes the marks of what it trims"))

    static let meta = TableDeclaration(
        key: ["name"], [.texts("name", are: .word), .texts("value", are: .operators)],
        export: .omitted("has no person"), kept: .state("one row for each word of the program"))

    /// The one table whose rows are not the same on every node: the log itself leaves it out of what nodes repeat and compare.
    static let node = TableDeclaration(
        key: ["name"],
        [.texts("name", are: .word), .texts("value", are: .handled("texts of the node about itself"))],
        export: .omitted("has no person"), kept: .state("one row for each word of the program"))

    private static let keyLines = ExportedLines(
        "key", place: "key", "'key', key, 'at', \(ExportedLines.time("at")), 'reply', json(reply)",
        from: "keys", of: "user = ?1", keepsNull: true)
}
