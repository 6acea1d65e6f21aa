import GRDBSQLite

/// Registers SQL functions in the connections of conditions.
enum ConditionFunction {
    typealias Callback = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    /// Registers a pure function, also in place of a built-in one.
    ///
    /// - Parameters:
    ///   - count: the number of its arguments; -1 for any number.
    ///   - owner: given to each call, and not kept alive.
    /// - Throws: ``PatternProblem`` with SQLite's message.
    @unsafe
    static func register(
        _ name: String, _ count: Int32, in connection: OpaquePointer, owner: AnyObject? = nil, _ callback: Callback
    ) throws(PatternProblem) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        let data = unsafe owner.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
        let status = unsafe sqlite3_create_function_v2(connection, name, count, flags, data, callback, nil, nil, nil)
        guard status == SQLITE_OK else {
            throw unsafe PatternProblem("SQLite: \(String(cString: sqlite3_errmsg(connection)))")
        }
    }
}
