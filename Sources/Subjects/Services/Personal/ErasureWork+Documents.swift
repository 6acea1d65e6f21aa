import ClientProtocol
import Execution
import JSON
import Model
import Notifying
import Store
import TriggerExecution

// Documents: the person's own, and others that the person wrote.
extension ErasureWork {
    /// The documents of the person's own. Those who watch them hear that they are gone; no trigger does.
    mutating func eraseDocuments() throws -> String? {
        let paths = try transaction.erasures.documents(of: name, after: "", limit: ErasureLimits.events)
        for path in paths { guard try eraseDocument(path) else { return place } }
        return paths.isEmpty ? nil : place
    }

    /// A document goes, with all that it has caused.
    ///
    /// - Returns: whether it is gone; false when it has more versions than one slice takes.
    private mutating func eraseDocument(_ text: String) throws -> Bool {
        let path: DocumentPath
        do {
            path = try DocumentPath(text)
        } catch {
            throw StoredValueProblem(place: "documents.path")
        }
        let stored = try transaction.documents.find(path)
        guard try transaction.erasures.deleteDocument(text, versions: ErasureLimits.rows) else { return false }
        try eraseEffects(of: text)
        guard let stored, stored.body != nil else { return true }
        counts.add(1, "document")
        let (collection, own) = try context.watched.streams(of: path, in: transaction)
        guard collection != nil || own != nil else { return true }
        let version = stored.version + 1
        let event = Event.document(
            seq: transaction.nextPosition, path: path, version: version, encoded: nil, key: nil)
        let document = Publication.Document(path: path, version: version, bytes: nil)
        _ = try transaction.append(event, of: document, collection: collection, own: own)
        return true
    }

    /// Notifications, webhooks, dead letters, and what waits.
    ///
    /// - Parameter changes: only what these changes of the document have caused; nil for all.
    private mutating func eraseEffects(of path: String, by changes: [Int64]? = nil) throws {
        for seq in try transaction.traces.notifications(from: path, by: changes) { try withdraw(Position(seq)) }
        counts.add(try transaction.traces.deleteEffects(of: path, by: changes), "webhook")
    }

    /// A version of a document: those at the person's paths go; of others only the writer's name, unless the document goes
    /// itself, or is not there any more.
    mutating func eraseVersion(_ row: TracedRow) throws {
        guard let path = row.texts[0], let change = row.number else { return }
        if traces.isIn(path: path) {
            counts.add(1, "version")
            return try transaction.traces.delete(row, of: .documentVersions)
        }
        guard row.texts[1] == writers[0] else { return }
        counts.add(1, "version")
        if path.hasPrefix("reports/") {
            // The moderators' own, see `eraseReport`.
        } else if try isWanted(path) {
            while try !eraseDocument(path) {}
            return
        } else if try isThere(path) {
            try keep(path)
        } else {
            try eraseEffects(
                of: path, by: transaction.erasures.deleteContent(ofGone: path, leftBy: change))
        }
        var changed = row
        changed.texts[1] = writers[1]
        try transaction.traces.update(changed, of: .documentVersions)
    }

    private func isThere(_ path: String) throws -> Bool {
        guard let path = try? DocumentPath(path) else { return false }
        return try transaction.documents.find(path)?.body != nil
    }

    /// The certificate lists a document of others that the person wrote.
    private mutating func keep(_ path: String) throws {
        let paths = try JSONValue(parsing: Array(kept.utf8)).arrayValue ?? []
        guard paths.count < ErasureLimits.keptDocuments, !paths.contains(.string(path)) else { return }
        kept = JSONValue.array(paths + [.string(path)]).text
    }
}
