import ClientProtocol
import Execution
import Fanout
import JSON
import Model
import Services
import ThreadMessages

/// The answer to a watch: the documents of a snapshot S as they are at the loop's own, later position H.
///
/// - Confinement: any
struct WatchAnswer {
    private let documents: [WatchedDocument]

    /// - Parameters:
    ///   - missed: the commits after the snapshot which the loop has delivered.
    ///   - user: whose right it is; nil without one.
    /// - Returns: nil when the commits do not say what there is at H, or the right may have changed: then the documents are
    ///   to be read again.
    init?(
        to pending: PendingWatch, _ snapshot: WatchSnapshot, _ missed: RecentCommits<KeptStep>.Commits, user: StreamID?
    ) {
        var changed: [String: WatchedDocument] = [:]
        for commit in missed {
            for step in commit.steps {
                switch step {
                case .publication(let framed):
                    let publication = framed.publication
                    guard let document = publication.document, publication.position > snapshot.head,
                        publication.stream == snapshot.stream || publication.secondStream == snapshot.stream,
                        pending.admits(document.path.id, snapshot)
                    else { continue }
                    changed[document.path.text] = WatchedDocument(
                        path: document.path.text, version: document.version, position: publication.position,
                        data: publication.documentJSON)
                case .change(.accessRules): return nil
                case .change(.subscription(let follower, _, isOn: false)) where follower == user: return nil
                case .change: continue
                }
            }
        }
        guard changed.count <= DocumentLimits.watchPageDocuments else { return nil }
        var documents = snapshot.documents.filter { changed[$0.path] == nil }
        // Only a client that knows an earlier state must hear of deletions.
        let hasDeletions = pending.command.since != nil && snapshot.reset == nil
        documents += changed.values.filter { hasDeletions || $0.data != nil }
        documents.sort { $0.path < $1.path }
        self.documents = documents
    }

    /// The answer as JSON.
    ///
    /// - Parameter head: the loop's own position.
    func encoded(of watch: DocumentWatch, _ snapshot: WatchSnapshot, head: Position) -> EncodedAnswer {
        var body = JSONWriter(capacity: 1024)
        body.beginObject()
        body.member("path", watch.path.text)
        body.member("seq", head.value)
        if let reset = snapshot.reset { body.member("reset", reset.rawValue) }
        body.name("documents")
        body.beginArray()
        for document in documents { document.write(to: &body) }
        body.endArray()
        if let next = watch.stream.through { body.member("next", next) }
        body.endObject()
        return EncodedAnswer(body.bytes)
    }
}
