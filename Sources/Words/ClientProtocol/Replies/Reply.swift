package import JSON

/// The answer to one command, as the bytes of one message.
///
/// - Confinement: any
package enum Reply {
    /// `{"re":7,"ok":{…}}`.
    ///
    /// - Parameters:
    ///   - re: The command's id; null for a command whose id is not known.
    ///   - body: Writes the members of the `ok` object.
    package static func ok(re: RequestID?, body: (inout JSONWriter) -> Void = { _ in }) -> [UInt8] {
        message(re: re, outcome: "ok", body: body)
    }

    /// `{"re":7,"ok":…}` with an encoded `ok` object, for example that of the first write with the same key.
    package static func ok(re: RequestID?, encoded body: [UInt8]) -> [UInt8] {
        var writer = JSONWriter(capacity: body.count + 32)
        writer.beginObject()
        write(re, to: &writer)
        writer.name("ok")
        writer.raw(body)
        warn(re?.warning, in: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// Writes the member `warnings`, where there is one.
    package static func warn(_ warning: String?, in writer: inout JSONWriter) {
        guard let warning else { return }
        writer.name("warnings")
        writer.beginArray()
        writer.string(warning)
        writer.endArray()
    }

    /// `{"re":7,"error":{…}}`; `re` is null when the command's id could not be read, so that the client still gets the
    /// error.
    package static func error(re: RequestID?, _ refusal: Refusal) -> [UInt8] {
        message(re: re, outcome: "error") { refusal.write(to: &$0) }
    }

    private static func message(
        re: RequestID?,
        outcome: String,
        body: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        write(re, to: &writer)
        writer.name(outcome)
        writer.beginObject()
        body(&writer)
        writer.endObject()
        warn(re?.warning, in: &writer)
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ re: RequestID?, to writer: inout JSONWriter) {
        writer.name("re")
        if let re { writer.raw(re.json) } else { writer.null() }
    }
}
