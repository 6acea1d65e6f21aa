package import Model
import Store

/// A path that a session watches, for reading its changes from the log.
///
/// - Confinement: any
package struct WatchedStream: Sendable, Hashable {
    package let stream: StreamID
    /// Whether it is the stream of a single document.
    package let isDocument: Bool
    /// Everything up to here was in an answer.
    package let from: Position
    /// Documents with ids after this one were not in an answer yet; nil when there are none.
    package let through: String?

    package init(stream: StreamID, isDocument: Bool, from: Position, through: String?) {
        self.stream = stream
        self.isDocument = isDocument
        self.from = from
        self.through = through
    }

    /// Whether the session has got the document with this id.
    package func admits(_ id: String) -> Bool { through.map { id <= $0 } ?? true }
}
