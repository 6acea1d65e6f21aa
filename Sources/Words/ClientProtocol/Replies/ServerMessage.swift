package import JSON

/// One message of the server, as a client reads it.
///
/// - Confinement: any
package enum ServerMessage: Sendable, Equatable {
    /// The answer to the command with the id `re`; nil for a command whose id the server could not read.
    case reply(re: RequestID?, Result<JSONValue, Refusal>)
    /// An event. `seq` is the member of that name; of the events outside of the log, `live` and `beat` have one, too.
    /// `EventName.isDurable` says which events to count.
    case event(type: String, seq: Int64?, body: JSONValue)

    /// Reads one message.
    ///
    /// - Throws: `JSONError` when it is not JSON, or neither a reply nor an event.
    package static func decode(_ bytes: [UInt8]) throws(JSONError) -> ServerMessage {
        let body = try JSONValue(parsing: bytes, depthMax: depthMax)
        if body["re"] != nil { return try reply(bytes, body) }
        guard let type = body["type"]?.stringValue else { throw missing("type") }
        return .event(type: type, seq: body["seq"]?.integerValue, body: body)
    }

    /// A document of the full depth lies a few levels deep in its message.
    private static let depthMax = 24

    private static func reply(_ bytes: [UInt8], _ body: JSONValue) throws(JSONError) -> ServerMessage {
        var re: RequestID?
        var reader = JSONReader(bytes, depthMax: depthMax)
        try reader.beginObject()
        while let name = try reader.nextName() {
            // From the bytes, not from the tree: the id is compared in the client's own spelling.
            let token = try reader.skip()
            if name == "re" { re = RequestID(bytes, at: token) }
        }
        if let ok = body["ok"] { return .reply(re: re, .success(ok)) }
        guard let refusal = body["error"].flatMap({ Refusal($0) }) else { throw missing("error") }
        return .reply(re: re, .failure(refusal))
    }

    private static func missing(_ field: String) -> JSONError {
        JSONError(reason: .wrongType(wanted: field == "type" ? .string : .object), offset: 0, field: field)
    }
}
