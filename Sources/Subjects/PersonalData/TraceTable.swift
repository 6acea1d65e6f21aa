package import Log
package import Model
package import Store

/// A part of a row's key.
///
/// - Confinement: any
package enum StoredKey: Sendable, Hashable {
    case number(Int64)
    case text(String)

    fileprivate var argument: any StatementArgument {
        switch self {
        case .number(let number): number
        case .text(let text): text
        }
    }
}

/// A table in whose texts an erased person may stand, as it declares.
///
/// - Confinement: any
package struct TracedTable: Sendable {
    package let name: TableName
    package let fate: TraceFate
    /// The columns with traces, and how the person stands in each.
    package let texts: [(column: String, form: TraceForm)]
    fileprivate let key: [(name: String, isText: Bool)]
    /// The column with the person whose rows are looked at as well, whatever their texts are.
    fileprivate let owner: String?
    /// Whether the rows are entries of the log with a document that the erasure has taken meanwhile.
    package let isOfGone: Bool

    private init(_ name: TableName, isOfGone: Bool = false) {
        let declaration = DeclaredTables[name]
        texts = declaration.contents.compactMap { column, content in
            if case .trace(let form) = content { (column: column, form: form) } else { nil }
        }
        owner = declaration.contents.first { if case .person(.traced) = $0.content { true } else { false } }?.column
        self.name = name
        self.isOfGone = isOfGone
        fate = declaration.traces
        key = declaration.key.map { column in
            let content = declaration.contents.first { $0.column == column }?.content
            return switch content {
            case .number, .person, nil: (column, false)
            case .trace, .text: (column, true)
            }
        }
    }

    /// All that declare a trace, in the order of ``TableName``; and the entries of the log once more, for the documents that
    /// have gone by then.
    package static let all: [TracedTable] =
        TableName.allCases.filter { DeclaredTables[$0].traces != .none }.map { TracedTable($0) }
        + [TracedTable(.changes, isOfGone: true)]

    fileprivate var keyList: String { key.map(\.name).joined(separator: ", ") }
    fileprivate var isRow: String { key.map { "\($0.name) = ?" }.joined(separator: " AND ") }
}

/// A row in whose texts a name may stand.
///
/// - Confinement: any
package struct TracedRow: Sendable {
    package let table: TracedTable
    package let key: [StoredKey]
    /// In the order of the table's texts.
    package var texts: [String?]

    /// The text in a column that declares a trace.
    package subscript(_ column: String) -> String? {
        get { texts[place(of: column)] }
        set { texts[place(of: column)] = newValue }
    }

    private func place(of column: String) -> Int {
        guard let place = table.texts.firstIndex(where: { $0.column == column }) else {
            preconditionFailure("\(table.name.rawValue) declares no trace in \(column)")
        }
        return place
    }
}

/// The texts of tables, a part of a table at a time, in the order of its key.
///
/// - Confinement: store
package struct TraceTable: StoredTable {
    package let access: WriteAccess

    /// The rows after a place that contain some characters, and those of a person where the table declares it.
    ///
    /// - Parameters:
    ///   - last: the key of the last row that was looked at; empty at the beginning.
    ///   - limit: how many rows are looked at.
    /// - Returns: the rows, and the key of the last one that was looked at; nil when there are no more.
    package func rows(
        of table: TracedTable, containing text: String, of user: StreamID, after last: [StoredKey], limit: Int
    ) throws -> (rows: [TracedRow], last: [StoredKey]?) {
        let (name, key, texts) = (table.name.rawValue, table.key, table.texts.map(\.column))
        let keys = table.keyList
        let marks = Array(repeating: "?", count: key.count).joined(separator: ", ")
        let isAfter = last.isEmpty ? "" : "WHERE (\(keys)) > (\(marks))"
        let begin = last.map { $0.argument as (any StatementArgument)? }
        func read(_ row: Columns) throws -> [StoredKey] {
            try key.enumerated().map { try $1.isText ? .text(row[$0]) : .number(row[$0]) }
        }
        let descending = key.map { "\($0.name) DESC" }.joined(separator: ", ")
        guard
            let end = try access.first(
                """
                SELECT \(keys) FROM (SELECT \(keys) FROM \(name) \(isAfter) ORDER BY \(keys) LIMIT \(limit))
                ORDER BY \(descending) LIMIT 1
                """, begin, read)
        else { return ([], nil) }
        let wanted = Self.wanted(table, containing: text, of: user)
        let rows = try access.all(
            """
            SELECT \(keys), \(texts.joined(separator: ", ")) FROM \(name)
            \(isAfter.isEmpty ? "WHERE" : isAfter + " AND") (\(keys)) <= (\(marks)) AND (\(wanted.condition)) ORDER BY \(keys)
            """,
            begin + end.map { $0.argument as (any StatementArgument)? } + wanted.arguments
        ) { row in
            TracedRow(
                table: table, key: try read(row), texts: try texts.indices.map { try row.optional(key.count + $0) })
        }
        return (rows, end)
    }

    /// Which rows are looked at, as SQL with its arguments.
    private static func wanted(
        _ table: TracedTable, containing text: String, of user: StreamID
    ) -> (condition: String, arguments: [(any StatementArgument)?]) {
        guard !table.isOfGone else { return (isOfGone, []) }
        let traces = table.texts.map { "instr(\($0.column), ?) > 0" }
        let arguments: [(any StatementArgument)?] = traces.map { _ in text }
        // A name that was not known has no number, and no rows.
        guard let owner = table.owner, user != .nobody else { return (traces.joined(separator: " OR "), arguments) }
        return ((traces + ["\(owner) = ?"]).joined(separator: " OR "), arguments + [user.value])
    }

    /// An entry of the log with the content of a document of whose path nothing is left. The path is taken from the text: an
    /// entry begins with `seq`, `type` and `path`, and no path has a character that JSON escapes.
    private static let isOfGone = """
        instr(substr(body, 1, 48), '"type":"document"') > 0 AND substr(body, -12) <> '"data":null}'
        AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.path = substr(changes.body, instr(changes.body, '"path":"') + 8,
        instr(changes.body, '","version":') - instr(changes.body, '"path":"') - 8))
        """

    /// Whether one of these wrote the change of a document from which a row comes.
    ///
    /// - Parameters:
    ///   - row: of a table whose rows have a `change`.
    ///   - writers: in the words of the history.
    package func comes(_ row: TracedRow, from writers: [String]) throws -> Bool {
        try access.number(
            """
            SELECT EXISTS (SELECT 1 FROM \(row.table.name.rawValue) t JOIN document_versions v ON v.seq = t.change
            WHERE v.by IN (\(writers.map { _ in "?" }.joined(separator: ", ")))
            AND \(row.table.key.map { "t.\($0.name) = ?" }.joined(separator: " AND ")))
            """,
            writers.map { $0 as (any StatementArgument)? } + row.key.map(\.argument)) > 0
    }

    /// A row has other texts.
    package func update(_ row: TracedRow) throws {
        let texts = row.table.texts.map { "\($0.column) = ?" }.joined(separator: ", ")
        try access.run(
            "UPDATE \(row.table.name.rawValue) SET \(texts) WHERE \(row.table.isRow)",
            row.texts.map { $0 } + row.key.map(\.argument))
    }

    /// A row goes.
    package func delete(_ row: TracedRow) throws {
        try access.run("DELETE FROM \(row.table.name.rawValue) WHERE \(row.table.isRow)", row.key.map(\.argument))
    }

    /// Whether an entry of the log is a message, and in which stream it and a notification lie.
    package func place(ofChange seq: Int64) throws -> (stream: StreamID, isMessage: Bool)? {
        try access.first("SELECT stream, n IS NOT NULL FROM changes WHERE seq = ?", [seq]) { try ($0[0], $0[1]) }
    }

    /// The entry of a message has no body: readers get the message as it is.
    package func clearBody(ofChange seq: Int64) throws {
        try access.run("UPDATE changes SET body = NULL WHERE seq = ?", [seq])
    }

    /// A notification has no words and names nobody any more.
    ///
    /// - Parameter texts: in place of its own, as JSON.
    package func blank(notification seq: Int64, texts: String, topic: String) throws {
        try access.run(
            """
            UPDATE notifications SET texts = ?, data = '{}', path = NULL, others = NULL, collapse = NULL, topic = ?
            WHERE seq = ?
            """,
            [texts, topic, seq])
    }

    /// The notifications that came back after they had been snoozed, and say what this one says.
    package func copies(ofNotification seq: Int64) throws -> [Int64] {
        try ["removed IS NULL", "removed IS NOT NULL"].flatMap { condition in
            try access.all(
                """
                SELECT c.seq FROM notifications n JOIN notifications c ON c.path = n.path AND c.path IS NOT NULL
                AND c.\(condition) AND c.trigger IS n.trigger AND c.topic = n.topic AND c.texts = n.texts
                AND c.change IS NULL AND c.broadcast IS NULL WHERE n.seq = ?1 AND c.seq > ?1 ORDER BY c.seq
                """, [seq]
            ) { try $0[0] }
        }
    }

    /// All notifications that come from a document, also those that were taken away, the oldest first.
    ///
    /// - Parameter changes: only those that these changes of it have caused; nil for all.
    package func notifications(from path: String, by changes: [Int64]? = nil) throws -> [Int64] {
        let found: [(seq: Int64, change: Int64?)] = try ["removed IS NULL", "removed IS NOT NULL"].flatMap {
            condition in
            try access.all(
                "SELECT seq, change FROM notifications WHERE path = ? AND path IS NOT NULL AND \(condition)", [path]
            ) { try ($0[0], $0.optional(1)) }
        }
        return found.filter { found in changes.map { $0.contains(found.change ?? 0) } ?? true }.map(\.seq).sorted()
    }

    /// The effects of a document besides notifications go: webhooks, dead letters, and what waits or is remembered.
    ///
    /// - Parameter changes: only what these changes of it have caused; nil for all.
    /// - Returns: how many webhooks there were.
    package func deleteEffects(of path: String, by changes: [Int64]? = nil) throws -> Int {
        func isTaken(_ change: Int64) -> Bool { changes?.contains(change) ?? true }
        let jobs: [(id: Int64, change: Int64)] = try access.all(
            "SELECT id, change FROM webhook_jobs WHERE path = ? ORDER BY id", [path]
        ) { try ($0[0], $0[1]) }
        let taken = jobs.filter { isTaken($0.change) }
        for job in taken { try deleteWebhook(job.id) }
        let letters: [(id: Int64, change: Int64)] = try access.all(
            "SELECT id, change FROM dead WHERE path = ? ORDER BY id", [path]
        ) { try ($0[0], $0[1]) }
        for letter in letters where isTaken(letter.change) {
            try access.run("DELETE FROM dead WHERE id = ?", [letter.id])
        }
        guard changes == nil else { return taken.count }
        for table in ["schedules", "fired", "snoozes"] {
            try access.run("DELETE FROM \(table) WHERE path = ?", [path])
        }
        return taken.count
    }

    /// At most `limit` notifications of an inbox, with what belongs to them, go.
    ///
    /// - Returns: how many there were.
    package func deleteNotifications(of inbox: StreamID, limit: Int) throws -> Int {
        let found: [Int64] = try access.all(
            "SELECT seq FROM notifications WHERE stream = ? AND removed IS NULL ORDER BY seq LIMIT ?",
            [inbox.value, limit]
        ) { try $0[0] }
        for seq in found { try deleteNotification(seq) }
        return found.count
    }

    /// The inbox in which a notification lies.
    package func stream(ofNotification seq: Int64) throws -> StreamID? {
        try access.value("SELECT stream FROM notifications WHERE seq = ?", [seq])
    }

    /// A notification goes, with what belongs to it.
    package func deleteNotification(_ seq: Int64) throws {
        try EntryStreamTable(access: access).delete(Position(seq))
        for table in ["seen", "archived", "snoozes", "digest_entries", "digest_firsts", "withheld"] {
            try access.run("DELETE FROM \(table) WHERE seq = ?", [seq])
        }
        try access.run("DELETE FROM notifications WHERE seq = ?", [seq])
    }

    /// The dead letters of a webhook go, and the webhook with them.
    package func deleteWebhook(_ job: Int64) throws {
        let isPending =
            try access.number("SELECT state = 'pending' FROM webhook_jobs WHERE id = ?", [job]) > 0
        try access.run("DELETE FROM dead WHERE job = ?", [job])
        try access.run("DELETE FROM webhook_jobs WHERE id = ?", [job])
        if isPending { access.webhookTally.dead += 1 }
        access.webhookTally.isTouched = true
    }

    /// The reports about a person.
    package func reports(about user: StreamID) throws -> [Int64] {
        try access.all("SELECT id FROM reports WHERE user = ? ORDER BY id", [user.value]) { try $0[0] }
    }

    /// A document, and the versions of it that were put aside, have other JSON.
    ///
    /// - Parameter new: gives the JSON; nil where it stays.
    package func rewrite(document path: String, _ new: (String) -> String?) throws {
        let body: String? = try access.value("SELECT body FROM documents WHERE path = ?", [path])
        if let changed = body.flatMap(new) {
            try access.run("UPDATE documents SET body = ? WHERE path = ?", [changed, path])
        }
        let versions: [(seq: Int64, before: String)] = try access.all(
            "SELECT seq, before FROM document_versions WHERE path = ? AND before IS NOT NULL ORDER BY seq", [path]
        ) { try ($0[0], $0[1]) }
        for version in versions {
            guard let changed = new(version.before) else { continue }
            try access.run("UPDATE document_versions SET before = ? WHERE seq = ?", [changed, version.seq])
        }
    }

    /// A report that the person made loses its words.
    package func clearReason(ofReportsBy user: StreamID) throws -> Int {
        try access.change("UPDATE reports SET reason = NULL WHERE reporter = ? AND reason IS NOT NULL", [user.value])
    }

    /// The subject and the reporter of a report.
    package func people(ofReport id: Int64) throws -> (user: StreamID, reporter: StreamID)? {
        try access.first("SELECT user, reporter FROM reports WHERE id = ?", [id]) { try ($0[0], $0[1]) }
    }
}

extension WriteTransaction {
    package var traces: TraceTable { TraceTable(access: access) }
}
