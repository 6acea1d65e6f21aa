import Model
import Store

/// The streams under which the changes of documents are logged, remembered by the writer so that a document's write asks
/// the database only about collections it has not met.
///
/// What is remembered may have been written by a command that is undone: then all of it is forgotten.
///
/// - Confinement: store
final class WatchedStreams {
    private var byCollection: [String: Collection] = [:]
    /// Collections remembered: then it begins anew, which costs two look-ups each.
    private static let collectionsMax = 10_000

    private struct Collection {
        let stream: StreamID?
        /// Whether documents in it may be watched alone.
        let hasDocuments: Bool
    }

    /// Forgets everything.
    func forget() { byCollection.removeAll() }

    /// Where a change of the document is to be logged; nil twice when nobody ever watched it.
    func streams(
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
