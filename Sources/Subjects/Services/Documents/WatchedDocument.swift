import Execution
package import JSON
package import Model
import Store

/// A document in an answer to `watch`.
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

    /// Reads an event of the name `document` from the log, which holds it as JSON and in no other form.
    ///
    /// - Throws: `StoredValueProblem` when it is no such event.
    package init(logged json: String) throws {
        let event = try StoredJSON.object(json, place: "changes.body")
        guard let path = event["path"]?.stringValue, let version = event["version"]?.integerValue,
            let seq = event["seq"]?.integerValue, let data = event["data"]
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
