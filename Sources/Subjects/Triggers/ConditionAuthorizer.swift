import GRDBSQLite

/// The allowed parts of a condition: deterministic functions, `json_each` and `json_tree`; everything else is refused when it
/// is compiled.
///
/// An allow-list, so that a function of a later SQLite is refused until somebody has looked at it.
package enum ConditionAuthorizer {
    private static let tables: Set<String> = ["json_each", "json_tree"]

    /// Pure functions of SQLite: no tables, no state of the connection, no randomness, no time of the machine.
    package static let functions: Set<String> = [
        // Scalars.
        "abs", "char", "coalesce", "concat", "concat_ws", "format", "glob", "hex", "ifnull", "iif", "if", "instr",
        "length", "like", "likelihood", "likely", "lower", "ltrim", "max", "min", "nullif", "octet_length", "printf",
        "quote", "replace", "round", "rtrim", "sign", "substr", "substring", "trim", "typeof", "unhex", "unicode",
        "unlikely", "upper",
        // Mathematics.
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "ceiling", "cos", "cosh", "degrees", "exp",
        "floor", "ln", "log", "log10", "log2", "mod", "pi", "pow", "power", "radians", "sin", "sinh", "sqrt", "tan",
        "tanh", "trunc",
        // JSON.
        "->", "->>", "json", "json_array", "json_array_length", "json_extract", "json_insert", "json_object",
        "json_patch", "json_quote", "json_remove", "json_replace", "json_set", "json_type", "json_valid",
        // Dates: ``ConditionClock`` gives them the time, and ``ConditionDates`` keeps them to UTC.
        "current_date", "current_time", "current_timestamp", "date", "datetime", "julianday", "strftime", "time",
        "unixepoch", ConditionLocalTime.name, ConditionNextOccurrence.name,
        // Aggregates, for the rows of json_each.
        "avg", "count", "group_concat", "json_group_array", "json_group_object", "string_agg", "sum", "total",
    ]

    /// Whether an action of SQLite's authorizer is allowed (sqlite3_set_authorizer, "Authorizer Action Codes").
    static func allows(action: Int32, first: String, second: String) -> Bool {
        switch action {
        case SQLITE_SELECT: true
        // A recursion over values is as pure as a loop; the budget of steps ends it.
        case SQLITE_RECURSIVE: true
        case SQLITE_READ: tables.contains(first)
        case SQLITE_FUNCTION: functions.contains(second.lowercased())
        default: false
        }
    }
}

/// The callback: reads its texts and asks ``ConditionAuthorizer``.
func authorizeCondition(
    context: UnsafeMutableRawPointer?,
    action: Int32,
    first: UnsafePointer<CChar>?,
    second: UnsafePointer<CChar>?,
    database: UnsafePointer<CChar>?,
    trigger: UnsafePointer<CChar>?
) -> Int32 {
    let one = unsafe first.map { unsafe String(cString: $0) } ?? ""
    let two = unsafe second.map { unsafe String(cString: $0) } ?? ""
    return ConditionAuthorizer.allows(action: action, first: one, second: two) ? SQLITE_OK : SQLITE_DENY
}
