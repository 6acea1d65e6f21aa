package import ClientProtocol
package import Execution
package import Model
import Store

/// The reading half of `watch`: checks the right, and reads what is there on one snapshot.
///
/// - Confinement: any
package struct ReadWatched: Sendable {
    let command: WatchCommand
    /// Nil without a token.
    let user: (name: UserID, id: StreamID)?

    package init(_ command: WatchCommand, by user: (name: UserID, id: StreamID)?) {
        self.command = command
        self.user = user
    }

    /// - Returns: nil when nobody has watched the path before, so that its changes are not logged yet: see
    ///   ``OpenWatchedStream``.
    /// - Throws: `Refusal` (`not-found`, `forbidden`) when the user may not watch it.
    package func snapshot(epoch: Epoch, in context: ReadContext) throws -> WatchSnapshot? {
        let transaction = context.transaction
        let rights = try context.documentRights
        let grant =
            if let user {
                try rights.checkWatch(of: command.path, by: user.name, user.id)
            } else {
                try rights.checkOpen(command.path)
            }
        guard let stream = try stream(in: transaction) else { return nil }
        let head = try transaction.log.head()
        let reset = try resetReason(epoch, stream, head, transaction)
        var page: (documents: [WatchedDocument], through: String?)?
        var tooFar: Event.ResetReason?
        if let since = command.since, reset == nil {
            page = try changes(since: since.seq, stream.id, transaction).map { ($0, nil) }
            if page == nil { tooFar = .tooFar }
        }
        let found = try page ?? present(in: transaction)
        return WatchSnapshot(
            stream: stream.id,
            head: head,
            documents: found.documents,
            through: found.through,
            reset: reset ?? tooFar,
            topic: try topic(context.collections).flatMap { try transaction.streams.find($0)?.id },
            isWhileFollowing: grant != .always
        )
    }

    private func stream(in transaction: Transaction) throws -> DocumentStreamEntry? {
        switch command.path {
        case .document(let path): try transaction.documentStreams.find(document: path)
        case .collection(let name): try transaction.documentStreams.find(collection: name)
        }
    }

    /// Why the changes since the requested point are not known; nil when they are known, or no point was requested.
    private func resetReason(
        _ epoch: Epoch,
        _ stream: DocumentStreamEntry,
        _ head: Position,
        _ transaction: Transaction
    ) throws -> Event.ResetReason? {
        guard let since = command.since else { return nil }
        if since.epoch != epoch || since.seq > head { return .epoch }
        // A single document is read itself, even when the log does not reach back.
        if case .document = command.path { return nil }
        return since.seq < max(stream.opened, try transaction.retention.from()) ? .retention : nil
    }

    /// The documents that have changed, as they are now; nil when an answer cannot hold them all.
    private func changes(
        since position: Position,
        _ stream: StreamID,
        _ transaction: Transaction
    ) throws -> [WatchedDocument]? {
        if case .document(let path) = command.path {
            return try transaction.documents.find(path).map { $0.position > position ? [$0.watched] : [] } ?? []
        }
        let limit = DocumentLimits.watchPageDocuments
        let positions = try transaction.documentStreams.changes(
            ofCollection: stream,
            after: position,
            limit: limit + 1
        )
        guard positions.count <= limit else { return nil }
        var newest: [String: WatchedDocument] = [:]
        var bytes = 0
        for position in positions {
            guard case .event(let json) = try transaction.log.entry(at: position).content else { continue }
            bytes += json.utf8.count
            guard bytes <= DocumentLimits.watchPageBytes else { return nil }
            let document = try WatchedDocument(logged: json)
            newest[document.path] = document
        }
        return Array(newest.values)
    }

    private static let documentsRead = 16

    /// The documents that there are, as many as an answer holds.
    private func present(in transaction: Transaction) throws -> ([WatchedDocument], through: String?) {
        switch command.path {
        case .document(let path):
            guard let entry = try transaction.documents.find(path), entry.body != nil else { return ([], nil) }
            return ([entry.watched], nil)
        case .collection(let name):
            let limit = DocumentLimits.watchPageDocuments
            var documents: [WatchedDocument] = []
            var bytes = 0
            var last = command.after ?? ""
            // A few at a time, because each may have 64 KiB.
            while true {
                let entries = try transaction.documents.page(of: name, after: last, limit: Self.documentsRead)
                for entry in entries {
                    guard documents.count < limit, bytes < DocumentLimits.watchPageBytes else {
                        return (documents, last)
                    }
                    documents.append(entry.watched)
                    bytes += entry.body?.utf8.count ?? 0
                    last = entry.path.id
                }
                if entries.count < Self.documentsRead { return (documents, nil) }
            }
        }
    }

    private func topic(_ collections: TopicCollections) throws -> Topic? {
        let path =
            switch command.path {
            case .document(let path): path
            case .collection(let name): try DocumentPath(name + "/x")
            }
        guard let first = path.levels.first, let kind = collections.kind(ofCollection: first.collection) else {
            return nil
        }
        return Topic(kind: kind, id: first.id)
    }
}

extension DocumentEntry {
    fileprivate var watched: WatchedDocument {
        WatchedDocument(path: path.text, version: version, position: position, data: body.map { Array($0.utf8) })
    }
}
