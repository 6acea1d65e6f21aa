import ClientProtocol
import Execution
import JSON
import Model
import Notifying
import PersonalData
import Store
import TriggerExecution

/// The documents of an erased person, and those of others that the person wrote.
///
/// - Confinement: store (the writer's thread)
struct DocumentErasure {
    let person: ErasedPerson

    init(_ person: ErasedPerson) { self.person = person }

    private var transaction: WriteTransaction { person.context.transaction }

    /// The documents of the person's own. Those who watch them hear that they are gone; no trigger does.
    func eraseDocuments(from place: String) throws -> String? {
        let paths = try transaction.erasures.documents(of: person.name, after: "", limit: ErasureLimits.events)
        for path in paths { guard try eraseDocument(path) else { return place } }
        return paths.isEmpty ? nil : place
    }

    /// A document goes, with all that it has caused.
    ///
    /// - Returns: whether it is gone; false when it has more versions than one slice takes.
    private func eraseDocument(_ text: String) throws -> Bool {
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
        person.certificate.add(1, "document")
        let (collection, own) = try person.context.watched.streams(of: path, in: transaction)
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
    private func eraseEffects(of path: String, by changes: [Int64]? = nil) throws {
        for seq in try transaction.traces.notifications(from: path, by: changes) {
            try NotificationErasure(person).withdraw(Position(seq))
        }
        person.certificate.add(try transaction.traces.deleteEffects(of: path, by: changes), "webhook")
    }

    /// A version of a document: those at the person's paths go; of others only the writer's name, unless the document goes
    /// itself, or is not there any more.
    func eraseVersion(_ row: TracedRow) throws {
        guard let path = row["path"], let change = row.number else { return }
        if person.traces.isIn(path: path) {
            person.certificate.add(1, "version")
            return try transaction.traces.delete(row)
        }
        guard row["by"] == person.writers[0] else { return }
        person.certificate.add(1, "version")
        if path.hasPrefix("reports/") {
            // The moderators' own, see `eraseReport`.
        } else if try person.isWanted(path) {
            while try !eraseDocument(path) {}
            return
        } else if try isThere(path) {
            try person.certificate.keep(path)
        } else {
            try eraseEffects(
                of: path, by: transaction.erasures.deleteContent(ofGone: path, leftBy: change))
        }
        var changed = row
        changed["by"] = person.writers[1]
        try transaction.traces.update(changed)
    }

    private func isThere(_ path: String) throws -> Bool {
        guard let path = try? DocumentPath(path) else { return false }
        return try transaction.documents.find(path)?.body != nil
    }
}
