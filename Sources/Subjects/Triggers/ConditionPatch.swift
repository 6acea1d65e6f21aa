import GRDBSQLite

/// SQLite's `json_patch`, with its work counted: for each member of the patch it walks the whole target in a single
/// step.
///
/// The function registered here charges each call by its lengths and calls the built-in function in a second
/// connection.
///
/// - Confinement: store
@safe
final class ConditionPatch {
    /// Bytes times bytes that count as one step: a patch of 11,000 members on a target of 11,000 members takes 0.2 s.
    private static let productPerStep = 4096
    /// How SQLite marks a value as JSON.
    private static let jsonSubtype: UInt32 = 74

    private let budget: ConditionBudget
    /// Owned: closed with this object.
    private let connection: OpaquePointer
    private let statement: OpaquePointer

    @unsafe
    init(connection: OpaquePointer, budget: ConditionBudget) throws(PatternProblem) {
        self.budget = budget
        unsafe self.connection = connection
        var statement: OpaquePointer?
        let text = "SELECT json_patch(?1, ?2)"
        let status = unsafe sqlite3_prepare_v3(
            connection, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard status == SQLITE_OK, let prepared = unsafe statement else {
            throw unsafe PatternProblem("SQLite: \(String(cString: sqlite3_errmsg(connection)))")
        }
        unsafe self.statement = prepared
    }

    deinit {
        unsafe sqlite3_finalize(statement)
        unsafe sqlite3_close_v2(connection)
    }

    /// Registers the function in `other`, which must be closed before this object is deallocated.
    @unsafe
    func register(in other: OpaquePointer) throws(PatternProblem) {
        try unsafe ConditionFunction.register("json_patch", 2, in: other, owner: self, callPatch)
    }

    @unsafe
    fileprivate func call(_ context: OpaquePointer, _ values: UnsafeMutablePointer<OpaquePointer?>) {
        let (target, patch) = unsafe (Int(sqlite3_value_bytes(values[0])), Int(sqlite3_value_bytes(values[1])))
        guard budget.take(patch * (target + patch) / Self.productPerStep + (target + patch) / 32) else {
            return unsafe sqlite3_result_error_code(context, SQLITE_INTERRUPT)
        }
        for index in 0..<2 { unsafe sqlite3_bind_value(statement, Int32(index + 1), values[index]) }
        if unsafe sqlite3_step(statement) == SQLITE_ROW {
            unsafe sqlite3_result_value(context, sqlite3_column_value(statement, 0))
            unsafe sqlite3_result_subtype(context, Self.jsonSubtype)
        } else {
            unsafe sqlite3_result_error(context, sqlite3_errmsg(connection), -1)
        }
        unsafe sqlite3_reset(statement)
        unsafe sqlite3_clear_bindings(statement)
    }
}

@available(*, unavailable)
extension ConditionPatch: Sendable {}

/// The callback: finds the function and calls it.
private func callPatch(context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let context = unsafe context, let values = unsafe values, count == 2,
        let function = unsafe sqlite3_user_data(context)
    else { return }
    unsafe Unmanaged<ConditionPatch>.fromOpaque(function).takeUnretainedValue().call(context, values)
}
