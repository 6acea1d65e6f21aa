package import Execution
package import JSON
package import Model
import Notifying
import Store
import Triggers
import Webhooks

/// Renders notifications again whose document was edited, so that nobody gets its earlier texts: in the inbox, from the log,
/// in digests, by pushes and webhooks that wait, and at the time for which a row has scheduled.
///
/// It belongs to the transaction of the edit, after the rows have fired on it.
///
/// - Confinement: store (the writer's thread)
package struct EditedNotifications {
    private let context: WriteContext

    package init(in context: WriteContext) { self.context = context }

    private var transaction: WriteTransaction { context.transaction }

    // MARK: Messages

    /// A message was edited: all that rows have made of it takes its words, whatever their conditions say now.
    ///
    /// The notifications of this edit itself stay: their rows chose to show `before`.
    ///
    /// - Parameters:
    ///   - path: of one of the documents that the message is.
    ///   - sentAt: where the message was sent.
    ///   - document: it with its new words.
    package func followMessage(
        _ path: DocumentPath, sentAt: Position, editedAt: Position, as document: JSONValue
    ) throws {
        for group in try transaction.notifications.renderedTogether(from: path.text) where group.change != editedAt {
            guard let name = group.trigger, let trigger = context.engine.trigger(named: name) else {
                try NotificationEdit(in: context).remove(group, from: path.text)
                continue
            }
            let isFirst = group.change.map { $0 == sentAt } ?? trigger.definition.event.includes(.create)
            try renderAgain(group, by: trigger, Self.change(of: path, isFirst: isFirst, to: document))
        }
        try transaction.notifications.blankDigests(listing: path.text)
        try followSchedules(path, editedAt: editedAt, as: document)
        try followWebhooks(path, editedAt: editedAt, as: document)
    }

    /// Before an update the document had the same words: the earlier ones are nobody's.
    private static func change(of path: DocumentPath, isFirst: Bool, to document: JSONValue) -> DocumentChange {
        DocumentChange(
            path: path, event: isFirst ? .create : .update, before: isFirst ? nil : document, after: document)
    }

    /// The times that the firing has not scheduled again: some recipients have got it by their own clocks already, so the others get it.
    private func followSchedules(_ path: DocumentPath, editedAt: Position, as document: JSONValue) throws {
        for trigger in context.engine.watching(path).flatMap(\.triggers) where trigger.definition.clock == .recipient {
            let name = trigger.definition.name
            guard let entry = try transaction.runs.schedule(of: name, path: path.text), entry.change != editedAt,
                let scheduled = try TriggerSchedule(in: context).find(trigger, path: path.text),
                let words = try words(
                    of: trigger, Self.change(of: path, isFirst: true, to: document), at: context.now)
            else { continue }
            let wanted = scheduled.saying(texts: words.texts.texts, data: words.data)
            try transaction.triggers.rewrite(wanted.json, of: name, path: path.text)
        }
    }

    /// The members of the two documents that an edit changes.
    private static let words = ["text", "note"]

    /// Webhooks that wait, and those that were sent or are dead, which may be sent again.
    private func followWebhooks(_ path: DocumentPath, editedAt: Position, as document: JSONValue) throws {
        for job in try transaction.webhooks.jobs(about: path.text) where job.change != editedAt {
            guard let stored = try transaction.webhooks.data(of: job.id) else { continue }
            var data = try StoredJSON.object(stored, place: "webhook_jobs.data")
            for name in Self.words {
                if var before = data["before"]?.objectValue {
                    before[name] = .none
                    data["before"] = .object(before)
                }
                if var after = data["after"]?.objectValue {
                    after[name] = document[name]
                    data["after"] = .object(after)
                }
            }
            try follow(&data, of: job, Self.change(of: path, isFirst: job.event == "create", to: document))
            try transaction.webhooks.rewrite(job.id, data: JSONValue.object(data).text)
        }
    }

    private func follow(_ data: inout JSONObject, of job: WebhookJob, _ change: DocumentChange) throws {
        guard var notification = data["notification"]?.objectValue else { return }
        guard let trigger = context.engine.trigger(named: job.trigger),
            let words = try words(of: trigger, change, at: job.at)
        else {
            data["notification"] = .none
            return
        }
        for (name, value) in WebhookEvent.words(of: words.texts.texts, data: words.data).members {
            notification[name] = value
        }
        data["notification"] = .object(notification)
    }

    // MARK: Other documents

    /// A document was changed. The notifications of rows that watch new documents alone (`create`) take its words, as those do
    /// that wait for their time. The notifications of a change say what happened then, and stay.
    ///
    /// - Parameters:
    ///   - watching: the triggers that watch the document.
    ///   - document: it as it is now, made only if there is such a notification.
    func followDocument(
        _ path: DocumentPath, watchedBy watching: [CompiledTrigger], as document: () throws -> JSONValue?
    ) throws {
        let names = try Set(transaction.notifications.live(from: path.text).compactMap(\.trigger))
        let triggers = watching.filter { $0.definition.event == .create && names.contains($0.definition.name) }
        guard !triggers.isEmpty, let document = try document() else { return }
        let change = Self.change(of: path, isFirst: true, to: document)
        for group in try transaction.notifications.renderedTogether(from: path.text) {
            guard let trigger = triggers.first(where: { $0.definition.name == group.trigger }) else { continue }
            try renderAgain(group, by: trigger, change)
        }
    }

    /// Gives a group its words after a change. Where nothing is left to show, the earlier words may not stay.
    private func renderAgain(_ group: RenderedTogether, by trigger: CompiledTrigger, _ change: DocumentChange) throws {
        let (edit, path) = (NotificationEdit(in: context), change.path.text)
        if let words = try words(of: trigger, change, at: group.at) {
            try edit.rewrite(group, from: path, as: words.texts, data: words.data.text)
        } else {
            try edit.remove(group, from: path)
        }
    }

    private func words(
        of trigger: CompiledTrigger, _ change: DocumentChange, at time: Timestamp
    ) throws -> (texts: StoredTexts, data: JSONValue)? {
        let complete = try OtherDocumentsReading(transaction: transaction.reading).complete(change, for: trigger)
        return TriggerEvaluation.words(trigger, change: complete, at: time).map { (StoredTexts($0.texts), $0.data) }
    }
}

@available(*, unavailable)
extension EditedNotifications: Sendable {}
