package import Journal
import Model
package import Store
import TestSupport

/// A journal of one writer, and a node that follows it: each commit is recorded, written as an entry, read, and applied to a
/// copy of the database. At the end both must be equal.
///
/// - Confinement: store
package final class JournalMirror: CommitOrder {
    private let copy: StoreCopy
    private weak var writer: Writer?
    private let entries = EntryWriter(JournalEntry.Author(term: 1, node: "original", schema: 25))
    private var reader = EntryReader()
    /// The entry of the last commit, which may be undone yet.
    private var last: (messages: [[UInt8]], place: JournalPlace)?
    private var sequence: UInt64 = 0
    private var applied = 0
    private var findings: [String] = []
    private var isFinished = false
    /// The texts of the statements that were applied.
    package private(set) var texts: Set<String> = []
    /// How often a statement was recorded.
    package private(set) var statementCount = 0
    /// Changes each record before it is written: a planted mistake.
    package var damage: ((CommitRecord) throws -> CommitRecord)?

    /// These commits are compared with SQLite's own changesets, which read both databases: the first ones, then one in
    /// ``comparedEach``.
    private static let comparedFirst = 3
    private static let comparedEach = 40

    /// Copies the database as it is now; from here on its writer gives its commits to this journal.
    package init(of writer: Writer, in directory: DataDirectory) throws {
        copy = try StoreCopy(of: directory)
        self.writer = writer
        writer.order = self
    }

    /// Takes a commit.
    package func order(_ record: CommitRecord) throws(OrderProblem) -> JournalPlace {
        settle()
        sequence += 1
        let place = JournalPlace(sequence: sequence, term: 1)
        do {
            let record = try damage?(record) ?? record
            statementCount += record.statements.runCount
            let reply = JournalReply(
                node: "copy", ticket: sequence, stepCount: record.steps.count, outcome: .answer([]))
            let time = Timestamp(milliseconds: Int64(sequence))
            last = (try entries.commit(record, at: time, replies: [reply]), place)
        } catch let problem as JournalProblem {
            throw .entry(problem)
        } catch {
            findings.append("entry \(sequence): \(error)")
        }
        return place
    }

    /// Applies the last commit, and compares all rows. Nothing may be written afterwards.
    ///
    /// - Returns: a sentence for each difference; empty when both are equal, or it was finished before.
    package func finish() -> [String] {
        guard !isFinished else { return [] }
        isFinished = true
        settle()
        do {
            findings += try copy.differences()
        } catch { findings.append("\(error)") }
        return findings
    }

    /// Applies the last commit, if it was not undone.
    private func settle() {
        guard let (messages, place) = last else { return }
        last = nil
        guard writer == nil || writer?.place == place else { return }
        do {
            for message in messages {
                guard let entry = try reader.receive(message) else { continue }
                guard case .commit(let commit) = entry.content else { continue }
                judge(commit.statements)
                try apply(commit, at: place)
            }
        } catch { findings.append("entry \(place.sequence): \(error)") }
    }

    private func apply(_ commit: JournalEntry.Commit, at place: JournalPlace) throws {
        applied += 1
        let isCompared =
            damage != nil || applied <= Self.comparedFirst || applied.isMultiple(of: Self.comparedEach)
        let expected = isCompared ? try copy.changedRows() : []
        let found = try copy.rowsChanged { _ = try copy.writer.apply(commit, at: place) }
        let missing = expected.subtracting(found).sorted()
        if !missing.isEmpty {
            findings.append("entry \(place.sequence): SQLite names rows that the record does not: \(missing)")
        }
    }

    private func judge(_ statements: StatementList) {
        for text in statements.texts where texts.insert(text).inserted {
            findings += WrittenStatement(text).objections.map { "\($0): \(text)" }
        }
    }
}

@available(*, unavailable)
extension JournalMirror: Sendable {}
