import GRDBSQLite
import Model

/// Compiles the expressions of trigger rows and runs them in a SQLite connection of its own: in memory, empty, with an
/// authorizer that allows only pure functions, a budget of steps, and a given time.
///
/// One runner serves any number of conditions. Its connection has no lock: the thread is the lock.
///
/// - Confinement: store
@safe
package final class ConditionRunner {
    private let clock: ConditionClock
    private let connection: OpaquePointer
    private let dates: ConditionDates
    private let patch: ConditionPatch
    /// The budget of the evaluation that is running.
    let budget = ConditionBudget()
    /// Counts the work of the evaluations of a write.
    package let meter: WorkMeter
    /// The bytes that a value may have in this evaluation.
    private var valueBytes: Int32 = 0

    /// Opens the connection.
    ///
    /// - Parameter meter: Counts the work of evaluations.
    /// - Throws: ``PatternProblem`` with SQLite's message, when the library lacks something that conditions need.
    package init(meter: WorkMeter = WorkMeter()) throws(PatternProblem) {
        guard let clock = ConditionClock() else { throw PatternProblem("SQLite has no VFS to take the time from") }
        let opened = try unsafe Self.open(on: clock)
        self.clock = clock
        self.meter = meter
        unsafe connection = opened
        dates = try unsafe ConditionDates(connection: Self.open(on: clock), clock: clock, budget: budget)
        try unsafe dates.register(in: opened)
        patch = try unsafe ConditionPatch(connection: Self.open(on: clock), budget: budget)
        try unsafe patch.register(in: opened)
        try unsafe ConditionLocalTime.register(in: opened)
        try unsafe ConditionNextOccurrence.register(in: opened)
        try unsafe ConditionTexts.register(in: opened, budget)
        unsafe Self.limit(opened)
        // The first use of a table-valued function reads the (empty) schema, which the authorizer would refuse.
        let warmUp = "SELECT count(*) FROM json_each('[]'), json_tree('[]')"
        guard unsafe sqlite3_exec(opened, warmUp, nil, nil, nil) == SQLITE_OK else {
            throw PatternProblem("SQLite: \(message)")
        }
        unsafe sqlite3_set_authorizer(opened, authorizeCondition, nil)
        unsafe sqlite3_progress_handler(
            opened,
            Int32(TriggerLimits.conditionStepsBetweenLooks),
            countSteps,
            Unmanaged.passUnretained(budget).toOpaque()
        )
    }

    deinit {
        unsafe sqlite3_close_v2(connection)
    }

    @unsafe
    private static func open(on clock: ConditionClock) throws(PatternProblem) -> OpaquePointer {
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX
        let status = unsafe sqlite3_open_v2(":memory:", &connection, flags, clock.name)
        guard status == SQLITE_OK, let opened = unsafe connection else {
            unsafe sqlite3_close_v2(connection)
            throw unsafe PatternProblem("SQLite: \(String(cString: sqlite3_errstr(status)))")
        }
        // Otherwise SQLite would read `"titel"` as a text where no such column exists, and a misspelling would pass.
        unsafe _disableDoubleQuotedStringLiterals(opened)
        unsafe sqlite3_extended_result_codes(opened, 0)
        unsafe sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, TriggerLimits.conditionValueBytesMax)
        // Data that outgrow the cache go to a file, and the VFS opens none: this bounds the memory.
        guard unsafe sqlite3_exec(opened, "PRAGMA temp_store = FILE", nil, nil, nil) == SQLITE_OK else {
            let problem = unsafe PatternProblem("SQLite: \(String(cString: sqlite3_errmsg(opened)))")
            unsafe sqlite3_close_v2(opened)
            throw problem
        }
        return unsafe opened
    }

    private static func limit(_ connection: OpaquePointer) {
        let limits: [(Int32, Int32)] = [
            (SQLITE_LIMIT_LENGTH, TriggerLimits.conditionValueBytesMax),
            (SQLITE_LIMIT_SQL_LENGTH, Int32(TriggerLimits.expressionBytesMax * 2)),
            (SQLITE_LIMIT_EXPR_DEPTH, TriggerLimits.conditionDepthMax),
            (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, TriggerLimits.conditionPatternBytesMax),
            (SQLITE_LIMIT_FUNCTION_ARG, TriggerLimits.conditionArgumentsMax),
            (SQLITE_LIMIT_VDBE_OP, TriggerLimits.conditionInstructionsMax),
            (SQLITE_LIMIT_COMPOUND_SELECT, 8),
            (SQLITE_LIMIT_ATTACHED, 0),
            (SQLITE_LIMIT_TRIGGER_DEPTH, 0),
            (SQLITE_LIMIT_WORKER_THREADS, 0),
        ]
        for (limit, value) in limits { unsafe sqlite3_limit(connection, limit, value) }
    }

    /// Compiles one expression over `before`, `after`, `now`, `names` and `others`.
    ///
    /// - Parameters:
    ///   - text: The expression, exactly one.
    ///   - names: The names of the path, as columns.
    ///   - others: The names of other documents, as columns, too.
    /// - Throws: ``PatternProblem`` with SQLite's message and the place in `text`.
    package func compile(
        _ text: String, names: [String] = [], others: [String] = []
    ) throws(PatternProblem) -> Condition {
        do {
            return try compileAsWritten(text, names: names, others: others)
        } catch {
            throw Self.withHint(error, in: text, documents: ["before", "after"] + others)
        }
    }

    /// Adds a hint for an author who names a field as in a template, `after.index`: how an expression names it; and for one who
    /// puts a text into double quotes, as JSON does.
    private static func withHint(
        _ problem: PatternProblem, in text: String, documents: [String]
    ) -> PatternProblem {
        let start = "no such column: "
        guard problem.reason.hasPrefix(start) else { return problem }
        let name = problem.reason.dropFirst(start.count).filter { $0 != "\"" }
        if text.contains("\"\(name)\"") {
            return PatternProblem(
                "\(problem.reason); texts stand in single quotes: '\(name)'", character: problem.character)
        }
        if problem.reason.dropFirst(start.count).lowercased() == ReaderZone.name {
            return PatternProblem("\(problem.reason); \(ReaderZone.hint)", character: problem.character)
        }
        let parts = problem.reason.dropFirst(start.count).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let document = documents.first(where: { $0 == parts[0] }) else { return problem }
        let field = parts.count == 2 ? String(parts[1]) : "$." + parts.dropFirst().joined(separator: ".")
        return PatternProblem(
            "\(problem.reason); a field is written \(document) ->> '\(field)'", character: problem.character)
    }

    private func compileAsWritten(
        _ text: String, names: [String], others: [String]
    ) throws(PatternProblem) -> Condition {
        guard text.utf8.count <= TriggerLimits.expressionBytesMax else {
            throw PatternProblem("an expression has at most \(TriggerLimits.expressionBytesMax) bytes")
        }
        let mentions = try ConditionScanner.scan(text, names: names + others)
        // Parentheses alone would accept a SELECT. `CAST(… AS …)` accepts only an expression, but would change the
        // value. So the text must be valid in both.
        let columns = Self.columns(names + others)
        do {
            let check = try unsafe prepare("SELECT CAST(", text, " AS BLOB) FROM (\(columns))")
            unsafe sqlite3_finalize(check)
        } catch {
            guard error.character == nil else { throw error }
            // This form found a mistake only at the end of the text: the other form may know the place.
            let other = try unsafe prepare("SELECT (", text, ") FROM (\(columns))")
            unsafe sqlite3_finalize(other)
            throw error
        }
        let statement = try unsafe prepare("SELECT (", text, ") FROM (\(columns))")
        return unsafe Condition(
            text: text, runner: self, statement: statement, mentions: mentions, nameCount: names.count)
    }

    /// `SELECT ?1 AS before, ?2 AS after, ?3 AS now, ?4 AS "person" …`
    private static func columns(_ names: [String]) -> String {
        var text = "SELECT ?1 AS before, ?2 AS after, ?3 AS now"
        for (index, name) in names.enumerated() { text += ", ?\(index + 4) AS \"\(name)\"" }
        return text
    }

    @unsafe
    private func prepare(
        _ prefix: String,
        _ expression: String,
        _ suffix: String
    ) throws(PatternProblem) -> OpaquePointer {
        // The line break ends a comment the expression may end in.
        let sql = prefix + expression + "\n" + suffix
        var statement: OpaquePointer?
        let status = unsafe sqlite3_prepare_v3(
            connection,
            sql,
            -1,
            UInt32(SQLITE_PREPARE_PERSISTENT),
            &statement,
            nil
        )
        guard status == SQLITE_OK, let prepared = unsafe statement else {
            throw problem(in: Array(expression.utf8), after: prefix.utf8.count)
        }
        return unsafe prepared
    }

    /// SQLite's message, and its offset turned into a place in the expression.
    private func problem(in expression: [UInt8], after prefix: Int) -> PatternProblem {
        let offset = unsafe Int(sqlite3_error_offset(connection)) - prefix
        guard (0...expression.count).contains(offset) else {
            // The place is after the expression: it ended too early.
            return PatternProblem(offset > expression.count ? "the expression is not complete" : message)
        }
        return PatternProblem(message, character: ConditionScanner.character(at: offset, of: expression))
    }

    /// SQLite's message about the last call.
    var message: String {
        let message = unsafe String(cString: sqlite3_errmsg(connection))
        switch unsafe sqlite3_errcode(connection) {
        case SQLITE_AUTH:
            return "\(message): an expression may use only its inputs, pure functions, json_each and json_tree"
        case SQLITE_CANTOPEN, SQLITE_IOERR: return "took more memory than a condition may (\(message))"
        default: return message
        }
    }

    /// Begins an evaluation: a new budget, and the time of the change.
    ///
    /// - Parameter bytes: The bytes of the documents that the evaluation reads.
    func begin(at now: Timestamp, overBytes bytes: Int) {
        clock.set(now)
        let full = Self.steps(overBytes: bytes)
        budget.begin(steps: meter.allowance(of: full), of: full)
        let wanted = Self.valueBytes(overBytes: bytes)
        guard wanted != valueBytes else { return }
        valueBytes = wanted
        unsafe sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, wanted)
    }

    /// The bytes that a value may have in an evaluation over documents of `count` bytes: twice the room for both
    /// documents, so that results from small documents stay small.
    static func valueBytes(overBytes count: Int) -> Int32 {
        min(TriggerLimits.conditionValueBytesMax, TriggerLimits.conditionValueBytesMin + 2 * Int32(clamping: count))
    }

    /// The budget of an evaluation over documents of `count` bytes. It depends on them alone and not on the machine, so
    /// that a replay ends where the first run did.
    static func steps(overBytes count: Int) -> Int {
        let full = TriggerLimits.conditionBytesAtFullBudget
        return count <= full ? Limits.conditionStepsMax : Limits.conditionStepsMax * full / count
    }

    /// Binds a text; SQLite copies it.
    @unsafe
    static func bind(_ text: [UInt8], to index: Int32, of statement: OpaquePointer) -> Int32 {
        unsafe text.withUnsafeBufferPointer { bytes in
            // SQLITE_TRANSIENT, a cast in C's header that Swift does not import.
            unsafe bind(bytes, to: index, of: statement, until: unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        }
    }

    /// Binds a text that keeps its place in memory until the statement is reset.
    @unsafe
    static func bindInPlace(_ bytes: UnsafeBufferPointer<UInt8>, to index: Int32, of statement: OpaquePointer) -> Int32
    {
        unsafe bind(bytes, to: index, of: statement, until: nil)
    }

    @unsafe
    private static func bind(
        _ bytes: UnsafeBufferPointer<UInt8>,
        to index: Int32,
        of statement: OpaquePointer,
        until destructor: sqlite3_destructor_type?
    ) -> Int32 {
        guard let count = Int32(exactly: bytes.count), count <= TriggerLimits.conditionValueBytesMax else {
            return SQLITE_TOOBIG
        }
        guard let base = bytes.baseAddress else { return SQLITE_OK }
        return unsafe base.withMemoryRebound(to: CChar.self, capacity: bytes.count) { text in
            unsafe sqlite3_bind_text(statement, index, text, count, destructor)
        }
    }
}

@available(*, unavailable)
extension ConditionRunner: Sendable {}

/// The callback: counts the steps of an evaluation, and stops it when its steps are used up or its time is over.
private func countSteps(context: UnsafeMutableRawPointer?) -> Int32 {
    guard let context = unsafe context else { return 1 }
    let budget = unsafe Unmanaged<ConditionBudget>.fromOpaque(context).takeUnretainedValue()
    return budget.take(TriggerLimits.conditionStepsBetweenLooks) && budget.look() ? 0 : 1
}
