package import ClientProtocol
package import Model
import Store

/// The documents that a reader found for a watch, on one snapshot.
///
/// - Confinement: any
package struct WatchSnapshot: Sendable {
    package let stream: StreamID
    /// The position of the snapshot: everything up to here is in it, and nothing after.
    package let head: Position
    package let documents: [WatchedDocument]
    /// Ids after this one are for the next page; nil when this was the last page.
    package let through: String?
    /// Why the answer has all documents, though only those that changed since a point were requested.
    package let reset: Event.ResetReason?
    /// The stream of the topic that the path names, if anybody has ever followed it.
    package let topic: StreamID?
    /// Whether the user may watch only while following that topic.
    package let isWhileFollowing: Bool

    /// Its approximate size in bytes.
    package var bytes: Int { documents.reduce(0) { $0 + $1.path.utf8.count + ($1.data?.count ?? 0) } }
}
