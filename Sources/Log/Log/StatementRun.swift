import CSQLite
package import GRDB

/// One run of a prepared statement, from its arguments to its last row (sqlite.org/c3ref/step.html).
///
/// - Confinement: store
@safe
@usableFromInline
package struct StatementRun {
    private let statement: OpaquePointer

    /// Nil when the statement only reads, or nobody wants to know.
    private let recorder: WriteRecorder?

    /// Binds the arguments, in the order of the statement's parameters.
    ///
    /// - Throws: `DatabaseError` when a value is too large for SQLite, or there are more than parameters.
    package init(_ prepared: Statement, _ arguments: [(any StatementArgument)?]) throws {
        unsafe statement = prepared.sqliteStatement
        recorder = nil
        unsafe try Self.bind(arguments, to: statement)
    }

    /// The same.
    ///
    /// - Parameter recorder: notes the run, if it writes.
    package init(_ prepared: Statement, _ arguments: [(any StatementArgument)?], noting recorder: WriteRecorder) throws
    {
        unsafe statement = prepared.sqliteStatement
        unsafe try Self.bind(arguments, to: statement)
        guard unsafe sqlite3_stmt_readonly(statement) == 0 else {
            self.recorder = nil
            return
        }
        unsafe Self.begin(statement, noting: recorder)
        for argument in arguments {
            if let argument { argument.add(to: recorder) } else { recorder.addNull() }
        }
        self.recorder = recorder
    }

    private static func bind(_ arguments: [(any StatementArgument)?], to statement: OpaquePointer) throws {
        let expected = unsafe sqlite3_bind_parameter_count(statement)
        assert(Int(expected) == arguments.count, "what is not bound keeps its value of the run before")
        var place: CInt = 0
        for argument in arguments {
            place += 1
            let code =
                if let argument { unsafe argument.bind(to: statement, at: place) } else {
                    unsafe sqlite3_bind_null(statement, place)
                }
            guard code == SQLITE_OK else { throw unsafe Self.error(code, of: statement) }
        }
    }

    /// A statement whose arguments are bound already.
    ///
    /// - Parameters:
    ///   - refusal: SQLite's code for the first argument that it did not take.
    ///   - recorder: has noted the arguments.
    init(bound statement: OpaquePointer, refusal: CInt, noted recorder: WriteRecorder?) throws {
        unsafe self.statement = unsafe statement
        self.recorder = recorder
        guard refusal == SQLITE_OK else { throw unsafe Self.error(refusal, of: statement) }
    }

    /// Notes that a statement that writes is about to run.
    static func begin(_ statement: OpaquePointer, noting recorder: WriteRecorder) {
        unsafe recorder.begin(
            UInt(bitPattern: statement),
            arguments: Int(sqlite3_bind_parameter_count(statement)),
            changedRows: changedRows(of: statement)
        ) {
            unsafe sqlite3_sql(statement).map { text in unsafe String(cString: text) } ?? ""
        }
    }

    /// The rows that the statement's connection has changed so far, those of triggers included.
    private static func changedRows(of statement: OpaquePointer) -> Int64 {
        unsafe sqlite3_total_changes64(sqlite3_db_handle(statement))
    }

    /// Goes to the next row.
    ///
    /// - Returns: false when there is none: the statement is done.
    /// - Throws: `DatabaseError`, with SQLite's extended code.
    @usableFromInline
    package func step() throws -> Bool {
        switch unsafe sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            recorder?.fail()
            throw unsafe Self.error(code, of: statement)
        }
    }

    /// The row of the last ``step()``; good until the next step.
    @usableFromInline
    package var columns: Columns { unsafe Columns(statement: statement) }

    /// Makes the statement ready for its next run. A failed run has thrown its error already.
    @usableFromInline
    package func end() {
        _ = unsafe sqlite3_reset(statement)
        // SQLite counts the rows of a statement with RETURNING when it is reset.
        if let recorder { recorder.end(changedRows: unsafe Self.changedRows(of: statement)) }
    }

    private static func error(_ code: CInt, of statement: OpaquePointer) -> DatabaseError {
        let message = unsafe sqlite3_errmsg(sqlite3_db_handle(statement)).map { text in unsafe String(cString: text) }
        let sql = unsafe sqlite3_sql(statement).map { text in unsafe String(cString: text) }
        return DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: sql)
    }
}

/// A value that a parameter of a statement can take.
@usableFromInline
package protocol StatementArgument {
    /// - Returns: SQLite's result code.
    func bind(to statement: OpaquePointer, at index: CInt) -> CInt
    /// Notes the value.
    func add(to recorder: WriteRecorder)
}

extension Int64: StatementArgument {
    @usableFromInline
    package func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
        unsafe sqlite3_bind_int64(statement, index, self)
    }

    @usableFromInline
    package func add(to recorder: WriteRecorder) { recorder.add(self) }
}

extension Int: StatementArgument {
    @usableFromInline
    package func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
        unsafe sqlite3_bind_int64(statement, index, Int64(self))
    }

    @usableFromInline
    package func add(to recorder: WriteRecorder) { recorder.add(Int64(self)) }
}

extension Bool: StatementArgument {
    @usableFromInline
    package func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
        unsafe sqlite3_bind_int64(statement, index, self ? 1 : 0)
    }

    @usableFromInline
    package func add(to recorder: WriteRecorder) { recorder.add(self ? 1 as Int64 : 0) }
}

extension String: StatementArgument {
    @usableFromInline
    package func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
        var text = self
        return text.withUTF8 { unsafe EncodedText.bind($0, to: statement, at: index) }
    }

    @usableFromInline
    package func add(to recorder: WriteRecorder) { recorder.add(self) }
}

/// Text that is UTF-8 already: it goes to SQLite without being made a `String` and checked again.
package struct EncodedText: StatementArgument {
    package let bytes: [UInt8]

    package func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
        unsafe bytes.withUnsafeBufferPointer { unsafe Self.bind($0, to: statement, at: index) }
    }

    package func add(to recorder: WriteRecorder) { recorder.add(text: bytes) }

    /// Binds a part of the bytes as text.
    static func bind(_ bytes: [UInt8], _ range: Range<Int>, to statement: OpaquePointer, at index: CInt) -> CInt {
        unsafe bytes.withUnsafeBufferPointer {
            unsafe bind(UnsafeBufferPointer(rebasing: $0[range]), to: statement, at: index)
        }
    }

    /// Binds a part of the bytes as a blob.
    static func bind(blob bytes: [UInt8], _ range: Range<Int>, to statement: OpaquePointer, at index: CInt) -> CInt {
        // A blob without an address would be NULL.
        guard !range.isEmpty else { return unsafe sqlite3_bind_zeroblob(statement, index, 0) }
        let copy = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        return unsafe bytes.withUnsafeBytes {
            unsafe sqlite3_bind_blob64(
                statement, index, UnsafeRawBufferPointer(rebasing: $0[range]).baseAddress, UInt64(range.count), copy)
        }
    }

    fileprivate static func bind(
        _ bytes: UnsafeBufferPointer<UInt8>, to statement: OpaquePointer, at index: CInt
    ) -> CInt {
        // SQLITE_TRANSIENT: SQLite makes a copy of its own.
        let copy = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        // An empty buffer may have no address, which SQLite would take for NULL.
        guard let start = bytes.baseAddress else {
            return unsafe sqlite3_bind_text(statement, index, "", 0, copy)
        }
        return unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
            unsafe sqlite3_bind_text64(statement, index, $0, UInt64(bytes.count), copy, UInt8(SQLITE_UTF8))
        }
    }
}

extension Database {
    /// The rows that the connection has changed so far, those of triggers included.
    package var changedRows: Int64 { unsafe sqlite3_total_changes64(sqliteConnection) }
}

extension Storage {
    /// SQLite's version, such as `3.40.1`.
    package static var libraryVersion: String { unsafe String(cString: sqlite3_libversion()) }
}
