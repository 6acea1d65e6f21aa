import Execution
import Feeds
import JSON
import Model
import Store

extension FeedFindings {
    /// The changes that an answer makes in the database, with the documents that it no longer contains.
    ///
    /// - Throws: ``FeedDoubt`` when everything is gone at once: that is more often a source's mistake than true.
    func news(of feed: FeedDefinition, in transaction: Transaction) throws -> [FeedDraft] {
        var drafts = try placed(of: feed.name) { try transaction.storedDocument($0) }
            .filter { try $0.outcome(over: transaction.storedDocument($0.path)) != .nothing }
        guard let whole else { return drafts }
        var after = ""
        var ownCount = 0
        var withdrawn: [FeedDraft] = []
        while true {
            let page = try transaction.documents.page(of: whole.collection, after: after, limit: Limits.pageMax)
            for entry in page {
                let body = try entry.body.map { try StoredJSON.object($0, place: "documents.body") }
                guard body?["feed"] == .string(feed.name) else { continue }
                ownCount += 1
                if !whole.ids.contains(entry.path.id) {
                    withdrawn.append(FeedDraft(entry.path, .withdrawn(feed: feed.name)))
                }
            }
            guard page.count == Limits.pageMax, let last = page.last else { break }
            after = last.path.id
        }
        guard !whole.ids.isEmpty || ownCount <= 3 else {
            throw FeedDoubt(
                description: "all \(ownCount) of \(whole.collection) are gone at once; the answer is ignored")
        }
        drafts += withdrawn
        return drafts
    }
}

/// An answer that is well-formed and not believed.
///
/// - Confinement: any
struct FeedDoubt: Error, CustomStringConvertible {
    let description: String
}
