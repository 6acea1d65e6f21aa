import ClientProtocol
import Execution
import JSON
import Model
import Notifying
import PersonalData
import Store

/// The notifications that are about an erased person, or that the person has caused.
///
/// - Confinement: store (the writer's thread)
struct NotificationErasure {
    let person: ErasedPerson

    init(_ person: ErasedPerson) { self.person = person }

    private var transaction: WriteTransaction { person.context.transaction }

    /// A notification in which the name stands: it goes when it is about the person, or the person has caused it. In all others
    /// the name is a word.
    func erase(_ row: TracedRow) throws {
        guard let seq = row.number, let entry = try transaction.notifications.findWritten(at: Position(seq)) else {
            return
        }
        if entry.stream == person.user {
            person.certificate.add(1, "notification")
            return try transaction.traces.deleteNotification(seq)
        }
        if try isAbout(entry) || person.isCaused(row) || person.isOfReport(entry.path) {
            return try withdraw(entry.position)
        }
        if try listsWithdrawn(entry) { return try revise(entry) }
        try rewriteTopics(of: row)
    }

    /// The person is one of the topics of a notification, and others of them have readers.
    private func rewriteTopics(of row: TracedRow) throws {
        var changed = row
        changed["topic"] = row["topic"].map { person.traces.rewritten($0, as: .topic) }
        changed["others"] = row["others"].map { person.traces.rewritten($0, as: .topics) }
        guard changed.texts != row.texts else { return }
        try transaction.traces.update(changed)
        person.certificate.add(1, "mention")
    }

    /// Whether a notification is about the person, by its document, its one topic, or its data.
    private func isAbout(_ entry: NotificationEntry) throws -> Bool {
        if person.traces.isIn(path: entry.path) { return true }
        let topic = Topic(user: person.name).text
        if entry.topic == topic, entry.others.isEmpty { return true }
        let data = try JSONValue(parsing: Array(entry.data.utf8))
        if entry.kind == NotificationFacts.digestKind {
            return data["of"]?.stringValue == DigestSubject.topic(topic).name
        }
        return data["user"]?.stringValue == person.name.text
            || data["chat"]?.stringValue.map { person.traces.rewritten(chat: $0) != $0 } ?? false
    }

    /// Takes a notification back, with its copies, and its words.
    func withdraw(_ position: Position) throws {
        for copy in try transaction.traces.copies(ofNotification: position.value) + [position.value] {
            person.certificate.add(1, "notification")
            if let entry = try transaction.notifications.find(Position(copy)) {
                try NotificationRemoval(in: person.context).remove(entry, reason: .retracted)
            }
            try transaction.snoozes.cancel(Position(copy))
            try blank(Position(copy))
        }
    }

    private func blank(_ position: Position) throws {
        guard let entry = try transaction.notifications.findWritten(at: position) else { return }
        try transaction.traces.blank(
            notification: position.value, texts: StoredTexts.none.json,
            topic: person.traces.rewritten(topic: entry.topic))
    }

    /// Whether a digest lists a notification that was taken back.
    private func listsWithdrawn(_ entry: NotificationEntry) throws -> Bool {
        guard entry.kind == NotificationFacts.digestKind,
            let items = try JSONValue(parsing: Array(entry.data.utf8))["items"]?.arrayValue
        else { return false }
        return try items.contains { item in
            guard let position = item.stringValue.flatMap(NotificationEntry.position(ofID:)) else { return false }
            return try transaction.notifications.findWritten(at: position)?.isBlank == true
        }
    }

    /// A digest lists the others that it listed, and loses its old words.
    private func revise(_ digest: NotificationEntry) throws {
        person.certificate.add(1, "notification")
        if try transaction.notifications.find(digest.position) != nil {
            try NotificationRemoval(in: person.context).revise(digest)
        }
        try blank(digest.position)
    }
}
