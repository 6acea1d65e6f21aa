import Journal

/// The statements that the transaction under way has run, as other nodes repeat them.
///
/// ``StatementRun`` and ``StatementInput`` note each statement that writes: its text, its arguments, and how many rows it
/// changed, those that triggers changed included. A savepoint that is undone cuts the record back.
///
/// The rows that the connection has changed are counted by SQLite as well, so that a write that passes by the recorder is
/// found at the commit.
///
/// - Confinement: store
@usableFromInline
package final class WriteRecorder {
    /// Rows were changed by statements that nobody has noted: other nodes would not do the same.
    ///
    /// - Confinement: any
    struct Unrecorded: Error, Sendable, Hashable, CustomStringConvertible {
        /// How many rows.
        let rows: Int64

        var description: String { "\(rows) rows were changed by statements that the recorder has not seen" }
    }

    /// A place to which the record can be cut back.
    struct Mark {
        fileprivate let record: StatementRecord.Mark
        fileprivate let statements: Int
    }

    private var record = StatementRecord()
    /// The number of each statement's text, by the statement's address.
    private var numbers: [UInt: Int] = [:]
    /// Addresses in the order of the numbers.
    private var addresses: [UInt] = []
    /// In the same order, whether a run that changes no row does nothing at all. One that inserts nothing may still use up a
    /// number of an `AUTOINCREMENT` table.
    private var changesRowsOnly: [Bool] = []
    /// The place before the run under way; nil between two runs.
    private var underWay: Mark?
    /// Whether the run under way does nothing if it changes no row.
    private var mayLeaveOut = false
    /// The rows that the connection had changed when that was last asked.
    private var changedRows: Int64 = 0
    private var unrecordedRows: Int64 = 0

    init() {}

    // MARK: A transaction

    /// A transaction begins.
    ///
    /// - Parameter changedRows: by the connection so far.
    func start(changedRows: Int64) {
        record.clear()
        numbers.removeAll(keepingCapacity: true)
        addresses.removeAll(keepingCapacity: true)
        changesRowsOnly.removeAll(keepingCapacity: true)
        underWay = nil
        self.changedRows = changedRows
        unrecordedRows = 0
    }

    /// The statements of the transaction, which is about to be committed.
    ///
    /// - Parameter changedRows: by the connection so far.
    /// - Throws: ``Unrecorded``.
    func finish(changedRows: Int64) throws(Unrecorded) -> StatementRecord {
        drop()
        look(at: changedRows)
        guard unrecordedRows == 0 else { throw Unrecorded(rows: unrecordedRows) }
        return record
    }

    /// Where the record is now.
    func mark() -> Mark {
        drop()
        return Mark(record: record.mark, statements: addresses.count)
    }

    /// Drops what was noted after a mark: it was undone.
    func cut(to mark: Mark) {
        underWay = nil
        record.cut(to: mark.record)
        for address in addresses[mark.statements...] { numbers[address] = nil }
        changesRowsOnly.removeLast(addresses.count - mark.statements)
        addresses.removeLast(addresses.count - mark.statements)
    }

    // MARK: One run

    /// A run begins; its arguments follow.
    ///
    /// - Parameters:
    ///   - address: of the prepared statement.
    ///   - text: asked for when the transaction has not run the statement yet.
    func begin(_ address: UInt, arguments: Int, changedRows: Int64, text: () -> String) {
        drop()
        look(at: changedRows)
        underWay = Mark(record: record.mark, statements: addresses.count)
        let number: Int
        if let known = numbers[address] {
            number = known
        } else {
            let text = text()
            number = record.addStatement(text)
            numbers[address] = number
            addresses.append(address)
            changesRowsOnly.append(text.hasPrefix("UPDATE") || text.hasPrefix("DELETE"))
        }
        mayLeaveOut = changesRowsOnly[number]
        record.begin(number, arguments: arguments)
    }

    func addNull() { record.addNull() }
    func add(_ integer: Int64) { record.add(integer: integer) }
    func add(_ text: String) { record.add(text: text) }
    func add(text bytes: [UInt8]) { record.add(text: bytes) }

    /// The run has ended, and its rows are changed. One that did nothing is left out: a leader that has nothing to trim
    /// would fill the journal with that.
    func end(changedRows: Int64) {
        let rows = Int(changedRows - self.changedRows)
        if mayLeaveOut, rows == 0 { drop() }
        if underWay != nil { record.end(rows: rows) }
        underWay = nil
        self.changedRows = changedRows
    }

    /// The run has failed: SQLite has undone it.
    func fail() { drop() }

    /// Drops a run that never came to its end: SQLite did not take one of its arguments, or it failed.
    private func drop() {
        guard let underWay else { return }
        cut(to: underWay)
    }

    private func look(at changedRows: Int64) {
        unrecordedRows += changedRows - self.changedRows
        self.changedRows = changedRows
    }
}

@available(*, unavailable)
extension WriteRecorder: Sendable {}
