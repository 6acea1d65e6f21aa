/// Encodes the events of a `text/event-stream` (HTML Living Standard section 9.2.5).
///
/// - Confinement: any
package enum ServerSentEvent {
    /// A line that readers ignore; sent now and then, it shows that the connection lives.
    package static let comment = Array(":\n\n".utf8)

    /// Appends one event.
    ///
    /// - Parameters:
    ///   - id: what the client sends back as `Last-Event-ID`; nil leaves the last one standing.
    ///   - event: the name scripts listen for; nil is `message`.
    ///   - data: UTF-8; line ends in it (CR, LF or both) are kept as line ends.
    ///   - bytes: what the event is appended to, to be sent as an ``HTTPChunk``.
    package static func append(
        id: String? = nil,
        event: String? = nil,
        data: [UInt8],
        to bytes: inout [UInt8]
    ) throws(HTTPEncodingError) {
        for field in [id, event] {
            guard field?.utf8.allSatisfy(HTTPSyntax.isValueByte) ?? true else { throw .invalidEventField }
        }
        bytes.reserveCapacity(bytes.count + (id?.utf8.count ?? 0) + (event?.utf8.count ?? 0) + data.count + namesBytes)
        if let id { bytes.append(contentsOf: "id: \(id)\n".utf8) }
        if let event { bytes.append(contentsOf: "event: \(event)\n".utf8) }
        bytes.append(contentsOf: "data: ".utf8)
        if data.contains(where: isLineEnd) { appendLines(data, to: &bytes) } else { bytes.append(contentsOf: data) }
        bytes.append(contentsOf: "\n\n".utf8)
    }

    /// The names of the fields with what stands around them.
    private static let namesBytes = "id: \nevent: \ndata: \n\n".utf8.count

    private static func isLineEnd(_ byte: UInt8) -> Bool {
        byte == HTTPSyntax.lineFeed || byte == HTTPSyntax.carriageReturn
    }

    private static func appendLines(_ data: [UInt8], to bytes: inout [UInt8]) {
        var isAfterCarriageReturn = false
        for byte in data {
            if !isLineEnd(byte) {
                bytes.append(byte)
            } else if !(byte == HTTPSyntax.lineFeed && isAfterCarriageReturn) {
                bytes.append(contentsOf: "\ndata: ".utf8)
            }
            isAfterCarriageReturn = byte == HTTPSyntax.carriageReturn
        }
    }
}
