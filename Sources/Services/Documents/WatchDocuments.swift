package import ClientProtocol
package import JSON
package import Model
import Store

/// Begins to log the changes of what somebody wants to watch. Asked for by the server itself, once for each path.
///
/// - Confinement: any
package struct OpenWatchedStream: WriteUseCase {
    let path: Command.WatchedPath

    package init(_ path: Command.WatchedPath) { self.path = path }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let transaction = context.transaction
        switch path {
        case .document(let path): try transaction.documentStreams.open(document: path, at: transaction.head)
        case .collection(let name): try transaction.documentStreams.open(collection: name, at: transaction.head)
        }
        context.watched.forget()
    }
}

/// What a session watches, as far as reading it from the log needs to know.
///
/// - Confinement: any
package struct WatchedStream: Sendable, Hashable {
    package let stream: StreamID
    /// Whether it is the stream of a single document.
    package let isDocument: Bool
    /// Everything up to here was in an answer.
    package let from: Position
    /// Documents with ids behind this one were not in an answer yet; nil when there are none.
    package let through: String?

    package init(stream: StreamID, isDocument: Bool, from: Position, through: String?) {
        self.stream = stream
        self.isDocument = isDocument
        self.from = from
        self.through = through
    }

    /// Whether the document with this id in its collection is part of it.
    package func admits(_ id: String) -> Bool { through.map { id <= $0 } ?? true }
}

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

/// What a reader found for a watch: documents, on one snapshot.
///
/// - Confinement: any
package struct WatchSnapshot: Sendable {
    package let stream: StreamID
    /// The position of the snapshot: everything up to here is in it, nothing behind.
    package let head: Position
    package let documents: [WatchedDocument]
    /// Ids behind this one are for the next page; nil when this was the last.
    package let through: String?
    /// Why the documents are all there are, though only those that changed since a point were asked for.
    package let reset: Event.ResetReason?
    /// The stream of the topic that the path names, if anybody ever followed it.
    package let topic: StreamID?
    /// Whether the user may watch only while he follows that topic.
    package let isWhileFollowing: Bool

    /// What it takes, about.
    package var bytes: Int { documents.reduce(0) { $0 + $1.path.utf8.count + ($1.data?.count ?? 0) } }
}
