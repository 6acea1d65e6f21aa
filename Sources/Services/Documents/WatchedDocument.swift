package import JSON
package import Model
import Store

/// A document as an answer to `watch` tells it.
///
/// - Confinement: any
package struct WatchedDocument: Sendable {
    package let path: String
    package let version: Int64
    package let position: Position
    /// JSON of an object; nil when the document was deleted.
    package let data: [UInt8]?

    package init(path: String, version: Int64, position: Position, data: [UInt8]?) {
        self.path = path
        self.version = version
        self.position = position
        self.data = data
    }

    /// Reads an event of type `document`, as this server wrote it.
    ///
    /// - Throws: `StoredValueProblem` when it is none.
    package init(event: [UInt8]) throws {
        guard let event = try? JSONValue(parsing: event, depthMax: 64), let path = event["path"]?.stringValue,
            let version = event["version"]?.integerValue, let seq = event["seq"]?.integerValue,
            let data = event["data"]
        else { throw StoredValueProblem(place: "changes.body") }
        self.init(path: path, version: version, position: Position(seq), data: data.isNull ? nil : data.bytes)
    }

    /// The id in the collection.
    package var id: String { (try? DocumentPath(path))?.id ?? "" }

    /// Writes `{"path", "version", "seq", "data"}`.
    package func write(to reply: inout JSONWriter) {
        reply.beginObject()
        reply.member("path", path)
        reply.member("version", version)
        reply.member("seq", position.value)
        reply.name("data")
        if let data { reply.raw(data) } else { reply.null() }
        reply.endObject()
    }
}
