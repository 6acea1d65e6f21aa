import GRDBSQLite

/// SQLite's date functions without the modifiers that ask the machine for its time zone.
///
/// `localtime` and `utc` would make a condition depend on the machine. A modifier may be computed or come from a
/// document, so it must be checked when the function is called: the functions registered here check their arguments and
/// call the built-in function of the same name in a second connection.
///
/// - Confinement: store
@safe
final class ConditionDates {
    static let names = ["date", "time", "datetime", "julianday", "unixepoch", "strftime", "printf", "format"]
    /// More arguments than a sensible chain of modifiers has.
    private static let argumentsMax = 12

    /// Owned: closed with this object.
    private let connection: OpaquePointer
    /// The VFS of the connection, which must outlive it.
    private let clock: ConditionClock
    private let budget: ConditionBudget
    private var functions: [DateFunction] = []

    @unsafe
    init(connection: OpaquePointer, clock: ConditionClock, budget: ConditionBudget) {
        unsafe self.connection = connection
        self.clock = clock
        self.budget = budget
    }

    deinit {
        functions.removeAll()
        unsafe sqlite3_close_v2(connection)
    }

    /// Registers the functions in `other`, which must be closed before this object goes.
    @unsafe
    func register(in other: OpaquePointer) throws(PatternProblem) {
        for name in Self.names {
            let function = unsafe DateFunction(name: name, connection: connection, budget: budget)
            functions.append(function)
            try unsafe ConditionFunction.register(name, -1, in: other, owner: function, callDate)
        }
    }

    /// One date function, and a statement that calls the built-in for each number of arguments.
    ///
    /// - Confinement: store
    @safe
    final class DateFunction {
        private let name: String
        private let connection: OpaquePointer
        private let budget: ConditionBudget
        private var statements: [Int: OpaquePointer] = unsafe [:]

        init(name: String, connection: OpaquePointer, budget: ConditionBudget) {
            self.name = name
            self.budget = budget
            unsafe self.connection = connection
        }

        deinit {
            unsafe statements.values.forEach { statement in unsafe sqlite3_finalize(statement) }
        }

        /// Checks the arguments, calls the built-in and sets the result.
        @unsafe
        func call(_ context: OpaquePointer, _ arguments: UnsafeBufferPointer<OpaquePointer?>) {
            guard arguments.count <= ConditionDates.argumentsMax else {
                unsafe sqlite3_result_error(context, "too many arguments on function \(name)", -1)
                return
            }
            guard unsafe isFormat || !arguments.contains(where: { unsafe asksForTimeZone($0) }) else {
                unsafe sqlite3_result_error(
                    context, "conditions count in UTC; for another time zone use local_time(text, zone)", -1)
                return
            }
            guard unsafe !isFormat || takeFormat(arguments) else {
                unsafe sqlite3_result_error_code(context, SQLITE_INTERRUPT)
                return
            }
            // Each letter of a format may ask for a text of twenty, which takes about two steps.
            let length = unsafe arguments.reduce(0) { sum, argument in
                unsafe sum + (sqlite3_value_type(argument) == SQLITE_TEXT ? Int(sqlite3_value_bytes(argument)) : 0)
            }
            guard isFormat || length < 64 || budget.take(4 * length) else {
                unsafe sqlite3_result_error_code(context, SQLITE_INTERRUPT)
                return
            }
            guard let statement = unsafe statement(arguments: arguments.count) else {
                unsafe sqlite3_result_error(context, sqlite3_errmsg(connection), -1)
                return
            }
            for index in 0..<arguments.count {
                unsafe sqlite3_bind_value(statement, Int32(index + 1), arguments[index])
            }
            if unsafe sqlite3_step(statement) == SQLITE_ROW {
                let result = unsafe sqlite3_column_value(statement, 0)
                if unsafe !isFormat && sqlite3_value_type(result) == SQLITE_NULL { unsafe noteRefusal(of: arguments) }
                unsafe sqlite3_result_value(context, result)
            } else {
                unsafe sqlite3_result_error(context, sqlite3_errmsg(connection), -1)
            }
            unsafe sqlite3_reset(statement)
        }

        /// SQLite returns NULL for a text that is no date, and for an unknown modifier. An empty text, or no text, is
        /// no mistake.
        @unsafe
        private func noteRefusal(of arguments: UnsafeBufferPointer<OpaquePointer?>) {
            let place = name == "strftime" ? 1 : 0
            guard arguments.count > place, unsafe sqlite3_value_type(arguments[place]) == SQLITE_TEXT,
                unsafe sqlite3_value_bytes(arguments[place]) > 0,
                unsafe !arguments.contains(where: { unsafe sqlite3_value_type($0) == SQLITE_NULL })
            else { return }
            let shown = unsafe arguments.map { argument in
                unsafe sqlite3_value_text(argument).map { unsafe "'\(String(cString: $0).prefix(40))'" } ?? ""
            }
            budget.note(refusedDate: "\(name)(\(shown.joined(separator: ", ")))")
        }

        private var isFormat: Bool { name == "printf" || name == "format" }

        /// Takes the work of `printf` from the budget: its precision repeats a letter many times in a single step, even
        /// if the result may have only a few bytes.
        private func takeFormat(_ arguments: UnsafeBufferPointer<OpaquePointer?>) -> Bool {
            guard let first = unsafe arguments.first, let text = unsafe sqlite3_value_text(first) else { return true }
            let format = unsafe UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(first)))
            var (sum, number, isInside, hasStar) = (format.count / 64, 0, false, false)
            for index in format.indices {
                let byte = unsafe format[index]
                let isDigit = (0x30...0x39).contains(byte)
                if isInside, isDigit {
                    number = min(number * 10 + Int(byte - 0x30), Int(Int32.max))
                    continue
                }
                // Short results cost nothing worth counting.
                if number > 64 { sum += number }
                number = 0
                if isInside, byte == UInt8(ascii: "*") { hasStar = true }
                let isFlag = byte == UInt8(ascii: "%") ? !isInside : (0x20...0x2f).contains(byte)
                isInside = isInside ? isFlag || byte == UInt8(ascii: "l") : byte == UInt8(ascii: "%")
            }
            // A star takes its number from the arguments.
            for index in arguments.indices.dropFirst() where hasStar {
                guard unsafe sqlite3_value_type(arguments[index]) == SQLITE_INTEGER else { continue }
                let number = unsafe sqlite3_value_int64(arguments[index]).magnitude
                if number > 64 { sum += Int(min(number, UInt64(Int32.max))) }
            }
            return budget.take(2 * sum)
        }

        private func asksForTimeZone(_ argument: OpaquePointer?) -> Bool {
            let type = unsafe sqlite3_value_type(argument)
            guard type == SQLITE_TEXT || type == SQLITE_BLOB, unsafe (3...9).contains(sqlite3_value_bytes(argument)),
                let text = unsafe sqlite3_value_text(argument)
            else { return false }
            return unsafe sqlite3_stricmp("localtime", UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self)) == 0
                || sqlite3_stricmp("utc", UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self)) == 0
        }

        private func statement(arguments count: Int) -> OpaquePointer? {
            if let statement = unsafe statements[count] { return unsafe statement }
            let parameters = Array(repeating: "?", count: count).joined(separator: ",")
            var statement: OpaquePointer?
            let status = unsafe sqlite3_prepare_v3(
                connection, "SELECT \(name)(\(parameters))", -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
            guard status == SQLITE_OK else { return nil }
            unsafe statements[count] = statement
            return unsafe statement
        }
    }
}

@available(*, unavailable)
extension ConditionDates: Sendable {}

/// The callback: finds the function and calls it.
private func callDate(context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let context = unsafe context, let function = unsafe sqlite3_user_data(context) else { return }
    let arguments = unsafe UnsafeBufferPointer(start: values, count: Int(count))
    unsafe Unmanaged<ConditionDates.DateFunction>.fromOpaque(function).takeUnretainedValue().call(context, arguments)
}
