import GRDBSQLite
package import Model

/// An expression of a trigger's row, compiled: a SQLite expression over `before`, `after`, `now`, the path's names and
/// other documents.
///
/// It reads only the values that are bound to it, so the same inputs give the same answer on every machine and in every
/// replay. Made by ``ConditionRunner/compile(_:names:others:)``; it keeps its runner alive.
///
/// - Confinement: store
@safe
package final class Condition {
    /// The result of one evaluation.
    package enum Outcome: Sendable, Hashable {
        /// The value, and whether SQL takes it for true (NULL and 0 are not).
        case value(SQLValue, isTrue: Bool)
        /// Why there is no value: SQLite's message, or that the budget was spent.
        case failure(String)
    }

    /// The expression as it was written.
    package let text: String

    private let runner: ConditionRunner
    private let statement: OpaquePointer
    /// Which inputs the expression mentions: only these are bound, since binding a document of 64 KiB would be the
    /// largest cost.
    private let mentions: ConditionScanner.Mentions
    /// How many names the path has; mentioned inputs beyond them are other documents.
    private let nameCount: Int

    init(
        text: String, runner: ConditionRunner, statement: OpaquePointer, mentions: ConditionScanner.Mentions,
        nameCount: Int
    ) {
        self.text = text
        self.runner = runner
        unsafe self.statement = statement
        self.mentions = mentions
        self.nameCount = nameCount
    }

    deinit {
        unsafe sqlite3_finalize(statement)
    }

    /// Evaluates the expression.
    ///
    /// - Parameters:
    ///   - before: JSON text of the document before the change, nil (NULL) when there was none.
    ///   - after: JSON text of the document after it, nil when it was deleted.
    ///   - names: What the path's names stand for, in the order given to the compiler; missing ones are NULL.
    ///   - others: JSON text of the other documents, in the order given to the compiler; missing ones are NULL.
    ///   - now: The change's own time, which is also SQLite's `'now'` and `CURRENT_TIMESTAMP`.
    /// - Returns: The value or the failure; never traps, whatever the inputs hold.
    package func evaluate(
        before: [UInt8]?, after: [UInt8]?, names: [String], others: [[UInt8]?] = [], now: Timestamp
    ) -> Outcome {
        let before = mentions.before ? before : nil
        let after = mentions.after ? after : nil
        let mentioned = mentions.names.compactMap { index in
            others.indices.contains(index - nameCount) ? others[index - nameCount].map { (index, $0) } : nil
        }
        let bytes = (before?.count ?? 0) + (after?.count ?? 0) + mentioned.reduce(0) { $0 + $1.1.count }
        // SQLite cannot be interrupted between the operations of one expression, and each may look at a whole document.
        guard mentions.operations * bytes <= TriggerLimits.conditionOperationBytesMax else {
            runner.meter.chargeOverrun(TriggerLimits.evaluationWork)
            return .failure("has \(mentions.operations) operations, too many for documents of \(bytes) bytes")
        }
        runner.begin(at: now, overBytes: bytes)
        let status = bind(names: names, others: mentioned, now: now)
        guard status == SQLITE_OK else { return Self.refused(status) }
        let outcome = unsafe Self.withBytes(before) { beforeBytes in
            unsafe Self.withBytes(after) { afterBytes in
                unsafe run(before: beforeBytes, after: afterBytes)
            }
        }
        return settled(outcome)
    }

    /// Charges the work to the meter, and turns an exceeded budget into a failure that names the budget.
    private func settled(_ outcome: Evaluated) -> Outcome {
        let budget = runner.budget
        let work = budget.end() + TriggerLimits.evaluationWork
        guard !budget.isTooLate else {
            runner.meter.chargeOverrun(max(work, TriggerLimits.lateWork(of: budget.stepsOfItsTime)))
            return .failure("took more than \(budget.millisecondsMax) ms")
        }
        switch outcome {
        case .outcome(let outcome):
            runner.meter.charge(work)
            // NULL from a text that is not a date would count as false, or as no time, and nobody would notice the
            // mistake.
            if case .value(.null, _) = outcome, let call = budget.refusedDate {
                return .failure("\(call) is not a date")
            }
            return outcome
        case .ranOut:
            runner.meter.chargeOverrun(budget.given + TriggerLimits.evaluationWork)
            return .failure("took more than \(budget.given) steps")
        }
    }

    /// SQLite's answer, or that it was stopped.
    private enum Evaluated: Equatable {
        case outcome(Outcome)
        case ranOut
    }

    /// Calls `body` with the bytes in place, without a copy.
    private static func withBytes(
        _ bytes: [UInt8]?,
        _ body: (UnsafeBufferPointer<UInt8>?) -> Evaluated
    ) -> Evaluated {
        guard let bytes else { return body(nil) }
        return unsafe bytes.withUnsafeBufferPointer { bytes in unsafe body(bytes) }
    }

    private func bind(names: [String], others: [(index: Int, bytes: [UInt8])], now: Timestamp) -> Int32 {
        if mentions.now {
            let status = unsafe ConditionRunner.bind(now.bytes, to: 3, of: statement)
            guard status == SQLITE_OK else { return status }
        }
        for index in mentions.names where index < min(nameCount, names.count) {
            let status = unsafe ConditionRunner.bind(Array(names[index].utf8), to: Int32(4 + index), of: statement)
            guard status == SQLITE_OK else { return status }
        }
        for (index, bytes) in others {
            let status = unsafe ConditionRunner.bind(bytes, to: Int32(4 + index), of: statement)
            guard status == SQLITE_OK else { return status }
        }
        return SQLITE_OK
    }

    /// Binds the documents for the length of one step, and runs that step.
    private func run(before: UnsafeBufferPointer<UInt8>?, after: UnsafeBufferPointer<UInt8>?) -> Evaluated {
        defer {
            unsafe sqlite3_reset(statement)
            unsafe sqlite3_clear_bindings(statement)
        }
        if let before = unsafe before {
            let status = unsafe ConditionRunner.bindInPlace(before, to: 1, of: statement)
            guard status == SQLITE_OK else { return .outcome(Self.refused(status)) }
        }
        if let after = unsafe after {
            let status = unsafe ConditionRunner.bindInPlace(after, to: 2, of: statement)
            guard status == SQLITE_OK else { return .outcome(Self.refused(status)) }
        }
        // The counter of steps lives as long as the statement; earlier runs must not shift the point where the budget
        // ends.
        _ = unsafe sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1)
        let status = unsafe sqlite3_step(statement)
        if status == SQLITE_INTERRUPT { return .ranOut }
        guard status == SQLITE_ROW else { return .outcome(failure) }
        return unsafe .outcome(.value(SQLValue(column: 0, of: statement), isTrue: isTrue))
    }

    /// The truth of the row's value as `WHERE` takes it: numbers but 0, texts that begin with such a number.
    private var isTrue: Bool {
        switch unsafe sqlite3_column_type(statement, 0) {
        case SQLITE_NULL: false
        case SQLITE_INTEGER: unsafe sqlite3_column_int64(statement, 0) != 0
        default: unsafe sqlite3_column_double(statement, 0) != 0
        }
    }

    /// The failure for an input that SQLite refused: it is longer than a value may be.
    private static func refused(_ status: Int32) -> Outcome {
        unsafe .failure("an input was refused: \(String(cString: sqlite3_errstr(status)))")
    }

    /// SQLite's message about the last call.
    private var failure: Outcome { .failure(runner.message) }
}

@available(*, unavailable)
extension Condition: Sendable {}
