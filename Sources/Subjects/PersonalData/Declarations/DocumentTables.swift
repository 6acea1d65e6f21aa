import Store

/// The tables of documents and of their history.
///
/// - Confinement: any
enum DocumentTables {
    static let documents = TableDeclaration(
        key: ["path"],
        [
            .texts("path", are: .handled("ErasureTable.documents finds those of the person by their paths")),
            .texts("collection", "id", are: .handled("parts of the path")), .numbers("version", "seq"),
            .texts("body", are: .othersWords),
        ],
        export: .lines([ownLines]),
        kept: .state("a deleted document keeps its version, so that a late write is a conflict"))

    static let versions = TableDeclaration(
        key: ["seq"],
        [
            .numbers("seq", "at", "quiet", "bytes"), .trace("path", .path), .trace("by", .writer),
            .texts("before", are: .othersWords), .texts("chain", are: .operators),
        ],
        traces: .step(.versions), export: .lines([writtenLines]),
        kept: .swept("DocumentHistoryTable.trim deletes versions up to the position to which the log is trimmed"))

    static let versionBytes = TableDeclaration(
        key: ["owner"], [.trace("owner", .versionOwner), .numbers("bytes")],
        traces: .rowGoes, export: .omitted("sums over versions"), kept: .with(.documentVersions))

    private static let ownLines = ExportedLines(
        "document", place: "path", "'path', path, 'version', version, 'data', json(body)", from: "documents",
        of: """
            path >= 'users/' || ?2 AND path < 'users/' || ?2 || '0'
            AND (path = 'users/' || ?2 OR path > 'users/' || ?2 || '/') AND body IS NOT NULL
            """, keepsNull: true)

    /// Documents elsewhere, as the person wrote them: somebody else may have written there since, what the person may not
    /// read. The document of a report is the moderators', and the report has lines of its own.
    private static let writtenLines = ExportedLines(
        "document", place: "own.path",
        """
        'path', own.path, 'version', version - (SELECT count(*) FROM document_versions v WHERE v.path = own.path
        AND v.seq > own.seq), 'data', json(iif(next.seq IS NULL, body, before))
        """,
        from: """
            (SELECT path, max(seq) AS seq FROM document_versions WHERE by = 'user ' || ?2 AND path > ?3 GROUP BY path) own
            JOIN documents ON documents.path = own.path LEFT JOIN document_versions next ON next.seq =
            (SELECT min(v.seq) FROM document_versions v WHERE v.path = own.path AND v.seq > own.seq)
            """,
        of: """
            body IS NOT NULL AND (next.seq IS NULL OR before IS NOT NULL) AND own.path NOT GLOB 'reports/r[0-9]*'
            AND NOT (own.path = 'users/' || ?2 OR own.path > 'users/' || ?2 || '/' AND own.path < 'users/' || ?2 || '0')
            """, keepsNull: true)
}
