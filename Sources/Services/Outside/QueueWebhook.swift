import JSON
import Model
import Store
import Triggers

extension WriteContext {
    /// Queues the webhook of a row that has fired, in the savepoint of what it wrote; one that is scheduled goes out when
    /// it fires.
    ///
    /// - Parameters:
    ///   - effect: what the row came to; only what notified or was scheduled is sent.
    ///   - isAgain: whether the change is a past one, of which the document's version is not known any more.
    func queueWebhook(
        of trigger: CompiledTrigger,
        _ outcome: TriggerOutcome,
        _ effect: TriggerReport.Effect,
        _ change: DocumentChange,
        at position: Position,
        isAgain: Bool = false
    ) throws {
        let row = trigger.definition
        guard let url = row.webhook else { return }
        // What commands write (follows, messages) is no row of documents, and has no version.
        let version = { [transaction] in try isAgain ? nil : transaction.documents.find(change.path)?.version }
        switch (outcome, effect) {
        case (.wanted(let wanted), .notified(let count)):
            let event = try WebhookEvent(url, row.name, change, wanted, chain, at: position, version: version())
            let draft = event.draft(written: count)
            engine.meter.charge(TriggerLimits.rowWork + draft.data.utf8.count / TriggerLimits.bytesPerWork)
            try transaction.queue(draft, at: now)
        case (.scheduled(_, let wanted), .scheduled):
            let event = try WebhookEvent(url, row.name, change, wanted, chain, at: position, version: version())
            try transaction.triggers.schedule(webhook: event.stored, of: row.name, path: change.path.text)
        default: return
        }
    }

    /// Queues the webhook of what was scheduled and has fired.
    ///
    /// - Parameter count: of the notifications written.
    /// - Throws: `StoredValueProblem` when it cannot be read.
    func queueWebhook(of schedule: TriggerSchedule, written count: Int) throws {
        guard let stored = schedule.webhook else { return }
        let event = try WebhookEvent(parsing: stored, of: schedule)
        try transaction.queue(event.draft(written: count), at: now)
    }
}

/// What a webhook tells: the change, and what was sent to whom.
///
/// - Confinement: any
struct WebhookEvent {
    private let trigger: String
    private let change: Position
    private let url: String
    private let path: String
    private let event: String
    private let chain: String
    private let data: JSONObject

    init(
        _ url: String,
        _ trigger: String,
        _ change: DocumentChange,
        _ wanted: NotificationWanted,
        _ chain: TriggerChain,
        at position: Position,
        version: Int64?
    ) {
        self.trigger = trigger
        self.change = position
        self.url = url
        path = change.path.text
        event = change.event.rawValue
        self.chain = chain.adding(trigger).text
        var data: JSONObject = [
            "trigger": .string(trigger), "path": .string(path), "event": .string(event),
            "seq": .integer(position.value),
        ]
        if let version { data["version"] = .integer(version) }
        data["before"] = change.before ?? .null
        data["after"] = change.after ?? .null
        data["notification"] = Self.json(wanted)
        self.data = data
    }

    /// - Throws: `StoredValueProblem` when the text is not what ``stored`` gave.
    init(parsing stored: String, of schedule: TriggerSchedule) throws {
        let object = try StoredJSON.object(stored, place: "schedules.webhook")
        guard let url = object["url"]?.stringValue, let event = object["event"]?.stringValue,
            let chain = object["chain"]?.stringValue, let data = object["data"]?.objectValue
        else { throw StoredValueProblem(place: "schedules.webhook") }
        trigger = schedule.trigger
        change = schedule.change
        path = schedule.path
        self.url = url
        self.event = event
        self.chain = chain
        self.data = data
    }

    /// As the schedule keeps it.
    var stored: String {
        JSONValue.object([
            "url": .string(url), "event": .string(event), "chain": .string(chain), "data": .object(data),
        ]).text
    }

    /// - Parameter count: of the notifications written.
    func draft(written count: Int) -> WebhookDraft {
        var data = data
        if var notification = data["notification"] {
            notification["written"] = .integer(Int64(count))
            data["notification"] = notification
        }
        return WebhookDraft(
            trigger: trigger,
            change: change,
            url: url,
            path: path,
            event: event,
            chain: chain,
            data: JSONValue.object(data).text
        )
    }

    private static func json(_ wanted: NotificationWanted) -> JSONValue {
        var languages = JSONObject()
        for (tag, text) in wanted.texts.byLanguage.sorted(by: { $0.key.text < $1.key.text }) {
            languages[tag.text] = ["title": .string(text.title), "body": .string(text.body)]
        }
        var object: JSONObject = [
            "audience": .string(wanted.audience.description), "kind": .string(wanted.kind),
            "level": .string(wanted.level.rawValue), "title": .string(wanted.texts.fallback.title),
            "body": .string(wanted.texts.fallback.body), "languages": .object(languages), "data": wanted.data,
        ]
        if let collapse = wanted.collapse { object["collapse"] = .string(collapse) }
        if let expires = wanted.expires { object["expires"] = .string(expires.text) }
        return .object(object)
    }
}
