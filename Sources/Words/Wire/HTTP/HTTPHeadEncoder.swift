/// Writes first lines and header lines, and checks each byte that is not its own.
///
/// - Confinement: any
enum HTTPHeadEncoder {
    /// Fields that frame a message or control the connection: two of them could contradict each other.
    private static let framingNames = ["Connection", "Content-Length", "Transfer-Encoding", "Upgrade", "Host"]

    /// Appends the caller's header lines, after checking them.
    static func append(_ headers: HTTPHeaders, to bytes: inout [UInt8]) throws(HTTPEncodingError) {
        for field in headers.fields {
            guard !framingNames.contains(where: { HTTPSyntax.isEqualIgnoringCase($0, field.name) }) else {
                throw .framingHeader(name: field.name)
            }
            try append(field.name, field.value, to: &bytes)
        }
    }

    /// Appends one header line, after checking it.
    static func append(_ name: String, _ value: String, to bytes: inout [UInt8]) throws(HTTPEncodingError) {
        guard HTTPSyntax.isToken(Array(name.utf8)) else { throw .invalidHeaderName(name) }
        guard value.utf8.allSatisfy(HTTPSyntax.isValueByte) else { throw .invalidHeaderValue(name: name) }
        appendLine(name, ": ", value, to: &bytes)
    }

    /// Appends `parts` and a line end, unchecked.
    static func appendLine(_ parts: String..., to bytes: inout [UInt8]) {
        for part in parts { bytes.append(contentsOf: part.utf8) }
        bytes.append(HTTPSyntax.carriageReturn)
        bytes.append(HTTPSyntax.lineFeed)
    }
}
