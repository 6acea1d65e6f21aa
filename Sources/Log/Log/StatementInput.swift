import CSQLite
package import GRDB
import Journal

/// The arguments of a statement that nearly every write runs, one after the other, and its run.
///
/// ``StatementRun`` takes an array of any arguments; here each goes straight to SQLite: no array, no box, no look-up.
///
/// - Confinement: store
@safe
@usableFromInline
package struct StatementInput {
    private let statement: OpaquePointer
    /// Nil when the statement only reads, or nobody wants to know.
    private let recorder: WriteRecorder?
    private var place: CInt = 0
    /// The first refusal of an argument; later ones do not matter.
    private var refusal = SQLITE_OK

    /// - Parameter recorder: notes the run; nil for a statement that only reads, and for the writes of the node alone
    ///   (``NodeWrites``).
    package init(_ prepared: Statement, noting recorder: WriteRecorder? = nil) {
        unsafe statement = prepared.sqliteStatement
        self.recorder = recorder
        if let recorder { unsafe StatementRun.begin(statement, noting: recorder) }
    }

    /// Whether every parameter has its argument.
    var isComplete: Bool { unsafe place == sqlite3_bind_parameter_count(statement) }

    package mutating func add(_ value: Int64) {
        recorder?.add(value)
        note(unsafe value.bind(to: statement, at: next()))
    }

    package mutating func add(_ value: Int64?) {
        if let value { add(value) } else { addNull() }
    }

    package mutating func add(_ value: Bool?) { add(value.map { $0 ? 1 as Int64 : 0 }) }

    package mutating func add(_ text: String) {
        recorder?.add(text)
        note(unsafe text.bind(to: statement, at: next()))
    }

    package mutating func add(_ text: String?) {
        if let text { add(text) } else { addNull() }
    }

    /// Text that is UTF-8 already.
    package mutating func add(_ text: [UInt8]?) {
        guard let text else { return addNull() }
        recorder?.add(text: text)
        note(unsafe EncodedText(bytes: text).bind(to: statement, at: next()))
    }

    /// An argument of an entry of the journal.
    mutating func add(_ argument: StatementList.Argument, of bytes: [UInt8]) {
        assert(recorder == nil, "what another node has recorded is not recorded again")
        switch argument {
        case .null: addNull()
        case .integer(let number): add(number)
        case .real(let number): note(unsafe sqlite3_bind_double(statement, next(), number))
        case .text(let range): note(unsafe EncodedText.bind(bytes, range, to: statement, at: next()))
        case .blob(let range): note(unsafe EncodedText.bind(blob: bytes, range, to: statement, at: next()))
        }
    }

    /// Runs the statement to its end.
    ///
    /// - Throws: `DatabaseError`: a value too large for SQLite, or an error of the run.
    package func run() throws {
        let run = try started()
        defer { run.end() }
        while try run.step() {}
    }

    /// The first row that the statement gives, as `transform` reads it.
    ///
    /// - Throws: as ``run()``; or what `transform` throws.
    @inlinable
    package func first<Value>(_ transform: (Columns) throws -> Value) throws -> Value? {
        let run = try started()
        defer { run.end() }
        return try run.step() ? transform(run.columns) : nil
    }

    @usableFromInline
    func started() throws -> StatementRun {
        assert(isComplete, "what is not bound keeps its old value")
        return unsafe try StatementRun(bound: statement, refusal: refusal, noted: recorder)
    }

    private mutating func addNull() {
        recorder?.addNull()
        note(unsafe sqlite3_bind_null(statement, next()))
    }

    private mutating func next() -> CInt {
        place += 1
        return place
    }

    private mutating func note(_ code: CInt) {
        if refusal == SQLITE_OK { refusal = code }
    }
}
