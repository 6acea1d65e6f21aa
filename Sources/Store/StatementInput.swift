import CSQLite
import GRDB

/// The arguments of a statement that nearly every write runs, one after the other, and its run.
///
/// ``StatementRun`` takes an array of any arguments; here each goes straight to SQLite: no array, no box, no look-up.
///
/// - Confinement: store
@safe
struct StatementInput {
    private let statement: OpaquePointer
    private var place: CInt = 0
    /// The first refusal of an argument; later ones do not matter.
    private var refusal = SQLITE_OK

    init(_ prepared: Statement) { unsafe statement = prepared.sqliteStatement }

    mutating func add(_ value: Int64) { note(unsafe value.bind(to: statement, at: next())) }

    mutating func add(_ value: Int64?) {
        if let value { add(value) } else { addNull() }
    }

    mutating func add(_ value: Bool?) { add(value.map { $0 ? 1 as Int64 : 0 }) }

    mutating func add(_ text: String) { note(unsafe text.bind(to: statement, at: next())) }

    mutating func add(_ text: String?) {
        if let text { add(text) } else { addNull() }
    }

    /// Text that is UTF-8 already.
    mutating func add(_ text: [UInt8]?) {
        if let text { note(unsafe EncodedText(bytes: text).bind(to: statement, at: next())) } else { addNull() }
    }

    /// Runs the statement to its end.
    ///
    /// - Throws: `DatabaseError`: a value too large for SQLite, or an error of the run.
    func run() throws {
        let run = try started()
        defer { run.end() }
        while try run.step() {}
    }

    /// The first row that the statement gives, as `transform` reads it.
    ///
    /// - Throws: as ``run()``; or what `transform` throws.
    func first<Value>(_ transform: (Columns) throws -> Value) throws -> Value? {
        let run = try started()
        defer { run.end() }
        return try run.step() ? transform(run.columns) : nil
    }

    private func started() throws -> StatementRun {
        unsafe assert(place == sqlite3_bind_parameter_count(statement), "what is not bound keeps its old value")
        return unsafe try StatementRun(bound: statement, refusal: refusal)
    }

    private mutating func addNull() { note(unsafe sqlite3_bind_null(statement, next())) }

    private mutating func next() -> CInt {
        place += 1
        return place
    }

    private mutating func note(_ code: CInt) {
        if refusal == SQLITE_OK { refusal = code }
    }
}
