package import Model
package import Store

/// The streams under which changes of documents are logged. The writer remembers them, so that the write of a document
/// asks the database only about new collections.
///
/// A command that is undone may have written some of them: then the writer forgets them all.
///
/// - Confinement: store
package final class WatchedStreams {
    private var byCollection: [String: Collection] = [:]
    /// The most collections to remember. Then all are forgotten, which costs two look-ups for each.
    private static let collectionsMax = 10_000

    private struct Collection {
        let stream: StreamID?
        /// Whether single documents in it have streams.
        let hasDocuments: Bool
    }

    /// Forgets everything.
    package func forget() { byCollection.removeAll() }

    /// Where a change of the document is to be logged; nil twice when nobody has ever watched it.
    package func streams(
        of path: DocumentPath,
        in transaction: WriteTransaction
    ) throws -> (collection: StreamID?, own: StreamID?) {
        let name = path.collection
        let collection: Collection
        if let known = byCollection[name] {
            collection = known
        } else {
            collection = Collection(
                stream: try transaction.documentStreams.find(collection: name)?.id,
                hasDocuments: try transaction.documentStreams.hasDocuments(in: name)
            )
            if byCollection.count >= Self.collectionsMax { forget() }
            byCollection[name] = collection
        }
        guard collection.hasDocuments else { return (collection.stream, nil) }
        return (collection.stream, try transaction.documentStreams.find(document: path)?.id)
    }
}

@available(*, unavailable)
extension WatchedStreams: Sendable {}
