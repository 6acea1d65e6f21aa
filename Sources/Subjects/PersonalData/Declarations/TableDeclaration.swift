package import Model
package import Store

/// All that a table says about itself, in one place: the data of people in it, how they are erased and exported, and how long its
/// rows are kept.
///
/// The erasure of a person, the export and the trimming of the log read it, so a table cannot be forgotten there: without a
/// declaration its name does not compile (``DeclaredTables``). `TableDeclarationTests` hold it against the database.
///
/// ```swift
/// static let blocks = TableDeclaration(
///     key: ["user", "other"],
///     [
///         .person("user", .rowGoes("block")), .person("other", .rowGoes("block")), .numbers("seq", "at"),
///     ],
///     export: .lines([blockLines]), kept: .state("until the person unblocks the other"))
/// ```
///
/// - Confinement: any
package struct TableDeclaration: Sendable {
    /// The columns of the primary key, in its order.
    package let key: [String]
    /// All columns, in groups with the same content.
    package let columns: [DeclaredColumns]
    /// The fate of a row in one of whose texts an erased person stands.
    package let traces: TraceFate
    package let export: TableExport
    package let kept: RowRetention

    /// - Parameter traces: must be given when one of the columns is a trace.
    init(
        key: [String], _ columns: [DeclaredColumns], traces: TraceFate = .none, export: TableExport,
        kept: RowRetention
    ) {
        self.key = key
        self.columns = columns
        self.traces = traces
        self.export = export
        self.kept = kept
    }

    /// Each column with its content.
    package var contents: [(column: String, content: ColumnContent)] {
        columns.flatMap { group in group.names.map { ($0, group.content) } }
    }
}

/// Columns with the same content.
///
/// - Confinement: any
package struct DeclaredColumns: Sendable {
    package let names: [String]
    package let content: ColumnContent

    /// Counts, flags, times, positions, and numbers of rows that are not people.
    static func numbers(_ names: String...) -> Self { Self(names: names, content: .number) }

    /// The number of a person, or of a stream, which may be a person's inbox.
    static func person(_ name: String, _ fate: PersonFate) -> Self { Self(names: [name], content: .person(fate)) }

    /// A text in which an erased person may stand, and in which form.
    static func trace(_ name: String, _ form: TraceForm) -> Self { Self(names: [name], content: .trace(form)) }

    /// Texts that an erasure need not look at.
    static func texts(_ names: String..., are text: PlainText) -> Self { Self(names: names, content: .text(text)) }
}

/// The content of a column.
///
/// - Confinement: any
package enum ColumnContent: Sendable, Hashable {
    case number
    case person(PersonFate)
    case trace(TraceForm)
    case text(PlainText)
}

/// The fate of a row with the number of an erased person.
///
/// - Confinement: any
package enum PersonFate: Sendable, Hashable {
    /// The row is the person's alone and goes; the certificate counts it under this word.
    case rowGoes(String)
    /// The row stays. `users` has the pseudonym for the number.
    case pseudonym
    /// The erasure looks at the row as at one with a trace, and decides, as the text says.
    case traced(String)
    /// Something else takes care of it, as the text says.
    case handled(String)
}

/// How the person stands in a text.
///
/// - Confinement: any
package enum TraceForm: Sendable, Hashable {
    /// The id of a user.
    case user
    /// The path of a document.
    case path
    /// A chat of two.
    case chat
    /// A topic; several with spaces between.
    case topic, topics
    /// The name of a stream: a topic, or what is watched.
    case stream
    /// The writer of a version of a document.
    case writer
    /// The owner of counted versions: `path PATH`, `by WRITER`.
    case versionOwner
    /// The subject of a digest.
    case digestSubject
    /// The thing that a row of the audit is about.
    case target
    /// Short values of such a request: JSON.
    case detail
    /// JSON of the server's own, whose members say where a person stands.
    case json
    /// Words, data or a reason: the name in it counts only where the row says that the person caused it.
    case words
}

/// Why no erasure looks into a text.
///
/// - Confinement: any
package enum PlainText: Sendable, Hashable {
    /// One of a few words of the program.
    case word
    /// Written by the operator: names and texts of triggers, feeds, rules, addresses.
    case operators
    /// The answer of a foreign server, or a name for it.
    case foreign
    /// An id that a device or the server makes.
    case made
    /// Words of somebody, which are theirs, and go with the row.
    case othersWords
    /// Something else takes care of it, as the text says.
    case handled(String)
}

/// The fate of a row in one of whose texts an erased person stands.
///
/// - Confinement: any
package enum TraceFate: Sendable, Hashable {
    /// The table has no such text.
    case none
    /// The row goes.
    case rowGoes
    /// The pseudonym takes the place of the person.
    case rewritten
    /// The module that erases has a step for this table.
    case step(TraceStep)
}

/// The tables for whose traces the erasure has a step of its own.
///
/// - Confinement: any
package enum TraceStep: Sendable, Hashable, CaseIterable {
    case entries, notifications, versions, webhooks, deadLetters, schedules, reports, people, streams
    /// Rows that have the words of a notification, and go when that is blank.
    case notificationWords
}

/// How a table is in the export of a person.
///
/// - Confinement: any
package enum TableExport: Sendable {
    /// As lines that SQLite makes.
    case lines([ExportedLines])
    /// By the use case of a command, which shows the same.
    case command(String)
    /// Not at all, for this reason.
    case omitted(String)
}

/// How long rows are kept.
///
/// - Confinement: any
package enum RowRetention: Sendable, Hashable {
    /// They are the state of something, and stay for as long as the text says.
    case state(String)
    /// They go with the entries of the log up to the position in this column.
    case log(by: String)
    /// They go when the time in this column is older than the operator wants.
    case age(RetentionKind, by: String)
    /// They go long after the time in this column is over.
    case over(by: String)
    /// They go with a row of that table.
    case with(TableName)
    /// A sweep of their own deletes them, as the text says.
    case swept(String)
}
