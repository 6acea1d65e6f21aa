/// The statements of one transaction in the form of an entry: each text once, and each run with its arguments and the
/// number of rows that it changed.
///
/// It is filled in the order of running and can be cut back to an earlier place.
///
/// - Confinement: any
package struct StatementRecord: Sendable {
    /// A place to which the record can be cut back.
    ///
    /// - Confinement: any
    package struct Mark: Sendable, Hashable {
        fileprivate let texts: Int
        fileprivate let textBytes: Int
        fileprivate let runs: Int
        fileprivate let runBytes: Int
    }

    /// How many different texts there are.
    package private(set) var textCount = 0
    /// How many runs there are.
    package private(set) var runCount = 0
    private var textBytes: [UInt8] = []
    private var runBytes: [UInt8] = []
    /// The number of the next argument.
    private var argument = 0
    private var long = LongArguments()

    package init() {}

    package var isEmpty: Bool { runCount == 0 }
    /// Bytes that the statements take in an entry, nearly.
    package var byteCount: Int { textBytes.count + runBytes.count }
    package var mark: Mark {
        Mark(texts: textCount, textBytes: textBytes.count, runs: runCount, runBytes: runBytes.count)
    }

    /// Drops what came after a mark.
    package mutating func cut(to mark: Mark) {
        guard mark != self.mark else { return }
        textCount = mark.texts
        runCount = mark.runs
        textBytes.removeLast(textBytes.count - mark.textBytes)
        runBytes.removeLast(runBytes.count - mark.runBytes)
        // Other arguments may come to the places of those that are gone.
        long.forget()
    }

    /// Drops everything, and keeps the memory for the next transaction.
    package mutating func clear() {
        textCount = 0
        runCount = 0
        textBytes.removeAll(keepingCapacity: true)
        runBytes.removeAll(keepingCapacity: true)
        long.forget()
    }

    /// Adds the text of a statement.
    ///
    /// - Returns: its number, for ``begin(_:arguments:)``.
    package mutating func addStatement(_ text: String) -> Int {
        textBytes.append(text: text)
        textCount += 1
        return textCount - 1
    }

    /// Begins a run; exactly `arguments` of the methods `add` and then ``end(rows:)`` must follow.
    package mutating func begin(_ text: Int, arguments: Int) {
        runBytes.append(count: text)
        runBytes.append(count: arguments)
        argument = 0
    }

    /// Adds an argument: NULL.
    package mutating func addNull() {
        runBytes.append(StatementArgumentCode.null)
        argument += 1
    }

    /// Adds an argument.
    package mutating func add(integer: Int64) {
        runBytes.append(StatementArgumentCode.integer)
        runBytes.append(signed: integer)
        argument += 1
    }

    /// Adds an argument.
    package mutating func add(real: Double) {
        runBytes.append(StatementArgumentCode.real)
        for index in 0..<8 { runBytes.append(UInt8(truncatingIfNeeded: real.bitPattern >> UInt64(8 * index))) }
        argument += 1
    }

    /// Adds an argument.
    package mutating func add(text: String) {
        let start = runBytes.count
        runBytes.append(StatementArgumentCode.text)
        runBytes.append(text: text)
        referToEarlier(from: start, StatementArgumentCode.text, count: text.utf8.count)
    }

    /// Adds an argument: a text that is UTF-8 already.
    package mutating func add(text bytes: [UInt8]) { add(StatementArgumentCode.text, bytes) }

    /// Adds an argument.
    package mutating func add(blob bytes: [UInt8]) { add(StatementArgumentCode.blob, bytes) }

    private mutating func add(_ code: UInt8, _ bytes: [UInt8]) {
        let start = runBytes.count
        runBytes.append(code)
        runBytes.append(count: bytes.count)
        runBytes.append(contentsOf: bytes)
        referToEarlier(from: start, code, count: bytes.count)
    }

    /// Ends a run.
    ///
    /// - Parameter rows: how many it changed.
    package mutating func end(rows: Int) {
        runBytes.append(count: rows)
        runCount += 1
    }

    /// Where a text stands among the arguments; nil when it is not known, or is short.
    func find(text bytes: [UInt8]) -> ArgumentReference? {
        guard bytes.count >= LongArguments.bytesMin else { return nil }
        return long.find(StatementArgumentCode.text, 0..<bytes.count, of: bytes, in: runBytes)
    }

    /// Writes the statements into the body of an entry.
    func write(to body: inout [UInt8]) {
        body.append(count: textCount)
        body.append(contentsOf: textBytes)
        body.append(count: runCount)
        body.append(contentsOf: runBytes)
    }

    /// Writes a reference in place of the last argument when it stands in the record already; else notes its place.
    private mutating func referToEarlier(from start: Int, _ code: UInt8, count: Int) {
        defer { argument += 1 }
        guard count >= LongArguments.bytesMin else { return }
        let range = runBytes.count - count..<runBytes.count
        guard let earlier = long.find(code, range, of: runBytes, in: runBytes) else {
            let reference = ArgumentReference(statement: runCount, argument: argument)
            return long.note(code, range, of: runBytes, as: reference)
        }
        runBytes.removeLast(runBytes.count - start)
        runBytes.append(StatementArgumentCode.reference)
        runBytes.append(reference: earlier)
    }
}

extension [UInt8] {
    mutating func append(reference: ArgumentReference) {
        append(count: reference.statement)
        append(count: reference.argument)
    }
}
