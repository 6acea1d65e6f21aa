package import ClientProtocol
package import Model
import Store

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
