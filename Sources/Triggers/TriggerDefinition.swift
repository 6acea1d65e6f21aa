package import JSON
package import Model

/// A row of the trigger table as a value (protocol.md, section 8).
///
/// Reading one checks every column except what only SQLite can say about `condition` and `at`; that is for
/// ``CompiledTrigger/init(_:runner:)``.
///
/// - Confinement: any
package struct TriggerDefinition: Sendable, Hashable {
    /// `[a-z0-9-]{1,64}`, unique in the table.
    package let name: String
    package let event: WatchedEvent
    package let path: PathPattern
    /// A SQLite expression; empty for always.
    package let condition: String
    package let audience: AudiencePattern
    /// `[a-z0-9.-]{1,64}`; the row's name when the column is absent.
    package let kind: String
    package let level: InterruptionLevel
    /// A template; nil when notifications do not replace each other.
    package let collapse: String?
    /// Seconds a notification lives.
    package let ttlSeconds: Int64?
    package let title: TextByLanguage
    package let body: TextByLanguage
    /// An object whose texts are templates.
    package let data: JSONObject
    /// A SQLite expression for the time to fire.
    package let at: String?
    package let webhook: String?
    package let isEnabled: Bool

    /// The columns in the order of the contract.
    package static let fields = [
        "name", "event", "path", "condition", "audience", "kind", "level", "collapse", "ttl", "title", "body", "data",
        "at", "webhook", "enabled",
    ]

    /// Reads a row; absent and null are the same.
    ///
    /// - Throws: ``TriggerProblem`` for the first column that is wrong, or that does not exist.
    package init(json: JSONValue) throws(TriggerProblem) {
        let row = try TriggerRow(json)
        name = try row.word("name", form: "1 to 64 of a-z 0-9 -", extra: "-")
        event = try row.word("event", of: WatchedEvent.self)
        let pattern = try row.text("path")
        do { path = try PathPattern(pattern) } catch { throw TriggerProblem("path", error) }
        condition = try row.expression("condition") ?? ""
        let audienceText = try row.text("audience")
        do {
            audience = try AudiencePattern(audienceText, names: path.names, event: event)
        } catch { throw TriggerProblem("audience", error) }
        kind = row.has("kind") ? try row.word("kind", form: "1 to 64 of a-z 0-9 . -", extra: ".-") : name
        level = row.has("level") ? try row.word("level", of: InterruptionLevel.self) : .active
        collapse = row.has("collapse") ? try row.text("collapse") : nil
        ttlSeconds = try row.seconds("ttl", max: TriggerLimits.ttlSecondsMax)
        title = try TextByLanguage(json: row.required("title"), field: "title")
        body = row.has("body") ? try TextByLanguage(json: row.required("body"), field: "body") : .one("")
        data = try row.object("data", bytesMax: TriggerLimits.dataBytesMax)
        at = try row.expression("at")
        webhook = try row.address("webhook")
        isEnabled = try row.flag("enabled") ?? true
        _ = try NotificationTemplates(self)
    }

    /// The row as JSON, every column in the order of the contract.
    package var json: JSONValue {
        .object([
            "name": .string(name), "event": .string(event.rawValue), "path": .string(path.text),
            "condition": .string(condition), "audience": .string(audience.text), "kind": .string(kind),
            "level": .string(level.rawValue), "collapse": collapse.map { .string($0) } ?? .null,
            "ttl": ttlSeconds.map { .integer($0) } ?? .null, "title": title.json, "body": body.json,
            "data": .object(data), "at": at.map { .string($0) } ?? .null,
            "webhook": webhook.map { .string($0) } ?? .null, "enabled": .bool(isEnabled),
        ])
    }
}
