/// Collects lines that end with exactly CR LF.
///
/// One peer takes a bare CR or LF for the end of a line and another does not: this is the root of request smuggling
/// (RFC 9112 sections 2.2 and 11.2). Both are refused, and so are other control characters except the tab.
///
/// - Confinement: any
struct HTTPLineReader: Sendable {
    /// The unfinished line; after `next` returned true, the whole line without its end.
    private(set) var line: [UInt8] = []
    private var isAfterCarriageReturn = false
    private var isComplete = false

    /// Continues at `offset`, which moves past the bytes read.
    ///
    /// - Parameters:
    ///   - bytesMax: The longest accepted line, without its end.
    ///   - overflow: The error for a longer one.
    /// - Returns: whether `line` is complete; the next call begins a new one.
    mutating func next(
        _ bytes: RawSpan,
        at offset: inout Int,
        bytesMax: Int,
        overflow: HTTPViolation
    ) throws(HTTPViolation) -> Bool {
        if isComplete {
            line.removeAll(keepingCapacity: true)
            isComplete = false
        }
        while offset < bytes.byteCount {
            let byte = bytes.byte(at: offset)
            offset += 1
            if isAfterCarriageReturn {
                guard byte == HTTPSyntax.lineFeed else { throw .badRequest("bare CR in a line") }
                isAfterCarriageReturn = false
                isComplete = true
                return true
            }
            if byte == HTTPSyntax.carriageReturn {
                isAfterCarriageReturn = true
                continue
            }
            guard HTTPSyntax.isValueByte(byte) else {
                throw .badRequest(byte == HTTPSyntax.lineFeed ? "bare LF in a line" : "control character in a line")
            }
            guard line.count < bytesMax else { throw overflow }
            line.append(byte)
        }
        return false
    }
}
