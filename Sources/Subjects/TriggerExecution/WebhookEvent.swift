import Execution
import JSON
import Model
import Store
import Triggers
import Webhooks

/// The content of a webhook: the change, and the notification with its audience.
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

    /// - Throws: `StoredValueProblem` when the text is damaged.
    init(parsing stored: String, of schedule: ScheduleEntry) throws {
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

    /// The text in the schedule.
    var stored: String {
        JSONValue.object([
            "url": .string(url), "event": .string(event), "chain": .string(chain), "data": .object(data),
        ]).text
    }

    /// - Parameter count: the number of notifications written.
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

    /// The members of a notification that have its words.
    static func words(of texts: Localized<NotificationText>, data: JSONValue) -> JSONObject {
        var languages = JSONObject()
        for (tag, text) in texts.byLanguage.sorted(by: { $0.key.text < $1.key.text }) {
            languages[tag.text] = ["title": .string(text.title), "body": .string(text.body)]
        }
        return [
            "title": .string(texts.fallback.title), "body": .string(texts.fallback.body),
            "languages": .object(languages), "data": data,
        ]
    }

    private static func json(_ wanted: NotificationWanted) -> JSONValue {
        var object: JSONObject = [
            "audience": .string(wanted.audience.description), "kind": .string(wanted.kind),
            "level": .string(wanted.level.rawValue),
        ]
        for (name, value) in words(of: wanted.texts, data: wanted.data).members { object[name] = value }
        if let collapse = wanted.collapse { object["collapse"] = .string(collapse) }
        if let expires = wanted.expires { object["expires"] = .string(expires.text) }
        return .object(object)
    }
}
