import GRDB
package import Journal
package import Model

/// Why an entry of the journal cannot be applied: this node's tables are not those of the node that wrote it.
///
/// - Confinement: any
package enum Divergence: Error, Sendable, Hashable, CustomStringConvertible {
    /// A statement changed another number of rows.
    case rows(statement: String, expected: Int, found: Int)
    /// SQLite refused a statement that the other node could run.
    case refused(statement: String, reason: String)
    /// A statement has more parameters than arguments, or fewer.
    case arguments(statement: String)
    /// The entry continues another history of positions.
    case head(expected: Position, found: Position)
    /// The entry was applied before, or an older leadership wrote it.
    case place(JournalPlace, after: JournalPlace)

    package var description: String {
        switch self {
        case .rows(let statement, let expected, let found):
            "a statement changed \(found) rows here and \(expected) on the leading node: \(statement)"
        case .refused(let statement, let reason): "a statement of the leading node fails here, \(reason): \(statement)"
        case .arguments(let statement): "a statement has another number of arguments than of parameters: \(statement)"
        case .head(let expected, let found):
            "the entry continues the log at \(expected), and the log of this node ends at \(found)"
        case .place(let place, let last):
            "entry \(place.sequence) of term \(place.term) cannot follow entry \(last.sequence) of term \(last.term)"
        }
    }
}

// A node that follows repeats what the leading node did.
extension Writer {
    /// Applies a commit of the leading node: its statements, in one transaction that also notes the entry's place.
    ///
    /// The caller must forget what it remembers of the database (``StateMachine``), as after an undone commit.
    ///
    /// - Returns: the steps for the sessions and the replies, as if this node had decided.
    /// - Throws: ``Divergence``; `DatabaseError`. Then nothing of it is done.
    package func apply(_ entry: JournalEntry.Commit, at place: JournalPlace) throws -> CommittedBatch<JournalReply> {
        try apply([(entry, place)])
        return CommittedBatch(
            items: entry.replies.map { (outcome: $0, stepCount: $0.stepCount) }, steps: entry.steps, head: entry.head,
            webhooks: entry.webhooks, pushes: entry.pushes)
    }

    /// Applies entries that follow each other, in one transaction, so that they share one fsync.
    ///
    /// - Parameters:
    ///   - entries: without a commit, the place of an entry that changes no rows.
    ///   - author: of the newest `lead` among them; nil without one.
    /// - Throws: as ``apply(_:at:)``; then none of them is applied.
    package func apply(
        _ entries: [(commit: JournalEntry.Commit?, place: JournalPlace)], leadBy author: String? = nil
    ) throws {
        // After a failure the place is read again.
        try settle()
        var (head, last) = (self.head, self.place)
        let connection = try current()
        do {
            try connection.follow { access in
                try access.database.repeatEntries(entries, head: &head, place: &last)
                if let last { try access.note(last, leadBy: author) }
            }
        } catch {
            doubt(connection, after: error)
            throw error
        }
        (self.head, self.place) = (head, last)
    }

    /// Notes the place of an entry that changes no rows.
    ///
    /// - Parameter author: of a `lead`; nil for another entry.
    /// - Throws: as ``apply(_:at:)``.
    package func pass(_ place: JournalPlace, leadBy author: String? = nil) throws {
        try apply([(nil, place)], leadBy: author)
    }
}

extension WriteAccess {
    /// Notes the place of the newest entry of the journal; each node does so by itself.
    ///
    /// - Parameter author: of the newest `lead`, if it is new here.
    func note(_ place: JournalPlace, leadBy author: String? = nil) throws {
        assert(recorder == nil, "the place of an entry is no part of it")
        try setMeta(.journal, String(place.sequence))
        try setMeta(.term, String(place.term))
        if let author { try setMeta(.author, "\(place.term) \(author)") }
    }
}

extension Database {
    /// Runs the statements of entries that follow each other.
    ///
    /// - Parameters:
    ///   - entries: without a commit, the place of an entry that changes no rows.
    ///   - head: of the log, before and after.
    ///   - place: of the newest entry that is applied, before and after.
    /// - Throws: ``Divergence``, `DatabaseError`.
    func repeatEntries(
        _ entries: [(commit: JournalEntry.Commit?, place: JournalPlace)], head: inout Position,
        place: inout JournalPlace?
    ) throws {
        for (commit, next) in entries {
            if let place, !next.follows(place) { throw Divergence.place(next, after: place) }
            place = next
            guard let commit else { continue }
            guard commit.before == head else { throw Divergence.head(expected: commit.before, found: head) }
            try repeatStatements(commit.statements)
            head = commit.head
        }
    }

    /// Runs the statements of an entry, and compares how many rows each changes.
    ///
    /// - Throws: ``Divergence``, `DatabaseError`.
    private func repeatStatements(_ list: StatementList) throws {
        let prepared = try list.texts.map { try cachedStatement(sql: $0) }
        for run in list.runs {
            let before = changedRows
            var input = StatementInput(prepared[run.text])
            for argument in list.arguments[run.arguments] { input.add(argument, of: list.bytes) }
            guard input.isComplete else { throw Divergence.arguments(statement: list.texts[run.text]) }
            do {
                try input.run()
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                throw Divergence.refused(statement: list.texts[run.text], reason: error.message ?? "a constraint")
            }
            let rows = Int(changedRows - before)
            guard rows == run.rows else {
                throw Divergence.rows(statement: list.texts[run.text], expected: run.rows, found: rows)
            }
        }
    }
}
