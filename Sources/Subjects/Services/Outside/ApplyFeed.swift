package import Execution
package import Feeds
import JSON
import Model
import Store

/// Stores one answer of a feed: documents and the progress of the feed, in one commit.
///
/// The transaction itself merges the documents with the stored ones. So it may be repeated, and a document that has
/// become the same meanwhile is not written. A document that would become too long stays as it is, and the answer lists
/// it.
///
/// - Confinement: any
package struct ApplyFeed: WriteUseCase {
    let feed: String
    let drafts: [FeedDraft]
    let progress: [FeedProgress]
    let forgotten: [String]
    let isQuiet: Bool

    /// - Parameters:
    ///   - progress: stored with the documents, so that no crash can come between the two.
    ///   - forgotten: things whose state is deleted, because nobody wants them any more.
    ///   - isQuiet: whether the documents were there before anybody asked for them: then triggers schedule, and notify
    ///     of nothing.
    package init(
        feed: String, drafts: [FeedDraft], progress: [FeedProgress], forgotten: [String] = [], isQuiet: Bool
    ) {
        self.feed = feed
        self.drafts = drafts
        self.progress = progress
        self.forgotten = forgotten
        self.isQuiet = isQuiet
    }

    package func perform(in context: WriteContext) throws -> AnswerFact {
        // Others may have filled a document up to its bound. A full document must not stop the others.
        var tooLong: [DocumentPath] = []
        let writes = try drafts.compactMap { draft -> DocumentWrite? in
            switch draft.outcome(over: try context.transaction.reading.storedDocument(draft.path)) {
            case .nothing: return nil
            case .put(let data):
                guard JSONValue.object(data).bytes.count <= DocumentLimits.bytesMax else {
                    tooLong.append(draft.path)
                    return nil
                }
                return DocumentWrite(path: draft.path, operation: .put(data))
            case .delete: return DocumentWrite(path: draft.path, operation: .delete)
            }
        }
        var documents = WriteDocuments(batch: writes, key: nil)
        documents.isBackfill = isQuiet
        _ = try documents.perform(in: context)
        for target in forgotten { try context.transaction.feeds.forget(target, of: feed) }
        for entry in progress { try context.transaction.feeds.put(entry, of: feed) }
        return .feedWritten(count: writes.count, tooLong: tooLong)
    }
}
