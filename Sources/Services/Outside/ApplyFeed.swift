package import Feeds
package import JSON
package import Model
package import Store

/// What came of one answer of a feed: documents, and how far the feed is, in one commit.
///
/// The documents are laid over what is stored in the transaction itself; so it may be repeated, and what has become the
/// same meanwhile is not written. What would be too long is left as it is, and named in the answer as `tooLong`.
///
/// - Confinement: any
package struct ApplyFeed: WriteUseCase {
    let feed: String
    let drafts: [FeedDraft]
    let progress: [FeedProgress]
    let forgotten: [String]
    let isQuiet: Bool

    /// - Parameters:
    ///   - progress: remembered with the documents, so that a crash between the two is none.
    ///   - forgotten: things whose state goes, since nobody wants them any more.
    ///   - isQuiet: whether nobody is told of what was there before anybody asked: triggers schedule what lies ahead,
    ///     and notify of nothing.
    package init(
        feed: String, drafts: [FeedDraft], progress: [FeedProgress], forgotten: [String] = [], isQuiet: Bool
    ) {
        self.feed = feed
        self.drafts = drafts
        self.progress = progress
        self.forgotten = forgotten
        self.isQuiet = isQuiet
    }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        // A document may hold what others put there, up to its bound: one that is full must not hinder the others.
        var tooLong: [JSONValue] = []
        let writes = try drafts.compactMap { draft -> DocumentWrite? in
            switch draft.outcome(over: try context.transaction.storedDocument(draft.path)) {
            case .nothing: return nil
            case .put(let data):
                guard JSONValue.object(data).bytes.count <= Limits.documentBytesMax else {
                    tooLong.append(.string(draft.path.text))
                    return nil
                }
                return DocumentWrite(path: draft.path, operation: .put(data))
            case .delete: return DocumentWrite(path: draft.path, operation: .delete)
            }
        }
        context.isBackfill = isQuiet
        defer { context.isBackfill = false }
        var answers = JSONWriter()
        answers.beginObject()
        try WriteDocuments(batch: writes, key: nil).perform(in: context, reply: &answers)
        for target in forgotten { try context.transaction.feeds.forget(target, of: feed) }
        for entry in progress { try context.transaction.feeds.put(entry, of: feed) }
        reply.member("written", writes.count)
        if !tooLong.isEmpty { reply.member("tooLong", .array(tooLong)) }
    }
}

extension Transaction {
    /// The content of a document; nil when there is none.
    package func storedDocument(_ path: DocumentPath) throws -> JSONObject? {
        try documents.find(path)?.body.map { try StoredJSON.object($0, place: "documents.body") }
    }
}
