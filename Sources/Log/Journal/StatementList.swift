/// The statements of an entry, read and checked: what a node must run to come to the state of the node that leads.
///
/// - Confinement: any
package struct StatementList: Sendable {
    /// One run of a statement.
    ///
    /// - Confinement: any
    package struct Run: Sendable, Hashable {
        /// The number of its text.
        package let text: Int
        /// Its arguments among those of all runs.
        package let arguments: Range<Int>
        /// How many rows it changed.
        package let rows: Int
    }

    /// An argument; the ranges are places in ``StatementList/bytes``.
    ///
    /// - Confinement: any
    package enum Argument: Sendable, Hashable {
        case null
        case integer(Int64)
        case real(Double)
        case text(Range<Int>)
        case blob(Range<Int>)
    }

    package let texts: [String]
    /// In the order of running.
    package let runs: [Run]
    package let arguments: [Argument]
    /// The body of the entry.
    package let bytes: [UInt8]

    /// Reads the texts and the runs.
    init(reading reader: inout FieldReader) throws(JournalProblem) {
        texts = try reader.list("texts") { reader throws(JournalProblem) in try reader.text("text") }
        bytes = reader.bytes
        let count = try reader.count(of: "statements", bytesMin: 3)
        var runs: [Run] = []
        var arguments: [Argument] = []
        runs.reserveCapacity(count)
        for _ in 0..<count {
            let text = try reader.count("statement's text")
            guard texts.indices.contains(text) else { throw .value(field: "statement's text") }
            let first = arguments.count
            for _ in 0..<(try reader.count(of: "arguments")) {
                let argument = try Self.argument(from: &reader) { reference in
                    // A statement may refer to its own earlier arguments, which are not among the runs yet.
                    let range =
                        reference.statement == runs.count
                        ? first..<arguments.count
                        : runs.indices.contains(reference.statement) ? runs[reference.statement].arguments : 0..<0
                    return reference.argument < range.count ? arguments[range.lowerBound + reference.argument] : nil
                }
                arguments.append(argument)
            }
            let rows = try reader.count("rows changed")
            runs.append(Run(text: text, arguments: first..<arguments.count, rows: rows))
        }
        self.runs = runs
        self.arguments = arguments
    }

    /// - Parameter earlier: gives the argument that a reference names; nil when there is none.
    private static func argument(
        from reader: inout FieldReader, earlier: (ArgumentReference) -> Argument?
    ) throws(JournalProblem) -> Argument {
        switch try reader.byte("argument's type") {
        case StatementArgumentCode.null: return .null
        case StatementArgumentCode.integer: return .integer(try reader.signed("argument"))
        case StatementArgumentCode.real: return .real(Double(bitPattern: try reader.word("argument")))
        case StatementArgumentCode.text:
            let range = try reader.range("argument")
            guard reader.isUTF8(range) else { throw .value(field: "argument") }
            return .text(range)
        case StatementArgumentCode.blob: return .blob(try reader.range("argument"))
        case StatementArgumentCode.reference:
            switch earlier(try reader.reference("argument")) {
            case .text(let range): return .text(range)
            case .blob(let range): return .blob(range)
            case .null, .integer, .real, nil: throw .value(field: "argument's reference")
            }
        default: throw .value(field: "argument's type")
        }
    }

    /// The bytes of a text or blob that a step or a reply refers to; nil when there are none.
    func bytes(of reference: ArgumentReference) -> [UInt8]? {
        guard runs.indices.contains(reference.statement) else { return nil }
        let range = runs[reference.statement].arguments
        guard reference.argument < range.count else { return nil }
        switch arguments[range.lowerBound + reference.argument] {
        case .text(let place), .blob(let place): return Array(bytes[place])
        case .null, .integer, .real: return nil
        }
    }
}

extension FieldReader {
    mutating func reference(_ field: String) throws(JournalProblem) -> ArgumentReference {
        ArgumentReference(statement: try count(field), argument: try count(field))
    }
}
