/// Encodes the events of a `text/event-stream` (HTML Living Standard section 9.2.5).
///
/// - Confinement: any
package enum ServerSentEvent {
    /// A line that readers ignore; sent from time to time, it shows that the connection is alive.
    package static let comment = Array(":\n\n".utf8)

    /// Appends one event.
    ///
    /// - Parameters:
    ///   - id: The value that the client sends back as `Last-Event-ID`; nil keeps the last one.
    ///   - event: The name that scripts listen for; nil means `message`.
    ///   - data: UTF-8; its line ends (CR, LF or both) are kept as line ends.
    ///   - bytes: The event is appended to these, which are sent as an ``HTTPChunk``.
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

    /// The length of the fields' names with the characters around them.
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
