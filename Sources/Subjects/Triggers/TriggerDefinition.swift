package import JSON
import Model

/// A row of the trigger table as a value (see TriggerRows.md).
///
/// Reading a row checks every column, except for the errors in expressions that only SQLite finds;
/// ``CompiledTrigger/init(_:runner:)`` checks these.
///
/// - Confinement: any
package struct TriggerDefinition: Sendable, Hashable {
    /// Of the form ``nameForm``, unique in the table.
    package let name: String
    package let event: WatchedEvent
    package let path: PathPattern
    /// A SQLite expression; empty when the row always fires.
    package let condition: String
    package let audience: AudienceList
    /// `[a-z0-9.-]{1,64}`; the row's name when the column is absent.
    package let kind: String
    package let level: LevelColumn
    /// A template; nil when notifications do not replace each other.
    package let collapse: String?
    /// Seconds that a notification lives.
    package let ttlSeconds: Int64?
    package let title: TextByLanguage
    package let body: TextByLanguage
    /// An object whose texts are templates.
    package let data: JSONObject
    /// A SQLite expression for the time at which to fire.
    package let at: String?
    /// The clock for a time without an offset; nil for UTC.
    package let clock: TriggerClock?
    package let webhook: String?
    package let isEnabled: Bool
    /// A SQLite expression, evaluated for every change of a document of the path: when it is true, the trigger's
    /// notifications about the document are taken back.
    package let withdraw: String?
    /// A SQLite expression: after the trigger has fired for a document, a later change of it must make this true before
    /// it fires again.
    package let rearm: String?
    package let throttle: Throttle?
    /// Whether a notification that replaces one of the same `collapse` and at least its level interrupts nobody.
    package let alertsOnce: Bool
    /// Whether a person who was notified through another topic with the same `collapse` is not notified again.
    package let isOnceAcrossTopics: Bool
    /// Other documents that the expressions and templates may read.
    package let with: OtherDocuments
    /// Which mutes of topics count where the audience is a list.
    package let mutes: MuteRule
    /// The texts of a digest of its notifications; nil for the server's own.
    package let digest: DigestTexts?
    /// Whether a notification is still sent when its time is over.
    package let late: LateNotice
    /// Whether it also notifies people who block the user that wrote the change.
    package let blocks: BlockRule
    /// Whether `at` is evaluated again when the trigger has fired: a later time is scheduled as the next.
    package let repeats: Bool

    /// The columns of the contract in its order, then the additional ones.
    package static let fields = [
        "name", "event", "path", "condition", "audience", "kind", "level", "collapse", "ttl", "title", "body", "data",
        "at", "webhook", "enabled", "withdraw", "rearm", "throttle", "alertOnce",
        "with", "clock", "digest", "mutes", "acrossTopics", "late", "repeat",
        "blocks",
    ]

    /// The form of a name in words.
    package static let nameForm = "1 to 64 of a-z 0-9 -"
    private static let nameExtra = "-"

    /// Whether a text is of the form of a name.
    package static func isName(_ text: String) -> Bool { TriggerRow.isWord(text, extra: nameExtra) }

    /// The member of a stored row, beside its columns, that says why the server has disabled it; ignored when a row is
    /// read.
    package static let setAsideMember = "setAside"

    /// Reads a row; an absent column and null mean the same.
    ///
    /// - Throws: ``TriggerProblem`` for the first column that is wrong, or that does not exist.
    package init(json: JSONValue) throws(TriggerProblem) {
        let row = try TriggerRow(json)
        name = try row.word("name", form: Self.nameForm, extra: Self.nameExtra)
        event = try row.word("event", of: WatchedEvent.self)
        let pattern = try row.text("path")
        do { path = try PathPattern(pattern) } catch { throw TriggerProblem("path", error) }
        condition = try row.expression("condition") ?? ""
        audience = try AudienceList(json: row.required("audience"), names: path.names, event: event)
        kind = row.has("kind") ? try row.word("kind", form: "1 to 64 of a-z 0-9 . -", extra: ".-") : name
        level =
            try row.value("level").map { json throws(TriggerProblem) in try LevelColumn(json: json) } ?? .one(.active)
        collapse = row.has("collapse") ? try row.text("collapse") : nil
        ttlSeconds = try row.seconds("ttl", max: TriggerLimits.ttlSecondsMax)
        title = try TextByLanguage(json: row.required("title"), field: "title")
        body = row.has("body") ? try TextByLanguage(json: row.required("body"), field: "body") : .one("")
        data = try row.object("data", bytesMax: TriggerLimits.dataBytesMax)
        at = try row.expression("at")
        clock = try row.value("clock").map { json throws(TriggerProblem) in try TriggerClock(json: json) }
        webhook = try row.address("webhook")
        isEnabled = try row.flag("enabled") ?? true
        withdraw = try row.expression("withdraw")
        rearm = try row.expression("rearm")
        throttle = try row.value("throttle").map { json throws(TriggerProblem) in try Throttle(json: json) }
        alertsOnce = try row.flag("alertOnce") ?? false
        isOnceAcrossTopics = try row.flag("acrossTopics") ?? false
        with =
            try row.value("with").map { [path, event] json throws(TriggerProblem) in
                try OtherDocuments(json: json, path: path, event: event)
            } ?? .none
        digest = try row.value("digest").map { json throws(TriggerProblem) in try DigestTexts(json: json) }
        mutes = row.has("mutes") ? try row.word("mutes", of: MuteRule.self) : .any
        late = row.has("late") ? try row.word("late", of: LateNotice.self) : .tell
        repeats = try row.flag("repeat") ?? false
        blocks = row.has("blocks") ? try row.word("blocks", of: BlockRule.self) : .hold
        try check()
        _ = try NotificationTemplates(self)
    }

    /// Refuses columns that have a meaning only together with others.
    private func check() throws(TriggerProblem) {
        func demand(_ isMet: Bool, _ field: String, _ message: String) throws(TriggerProblem) {
            guard isMet else { throw TriggerProblem(field: field, message: message) }
        }
        try demand(mutes == .any || !audience.followedKinds.isEmpty, "mutes", "requires followers: in the audience")
        try demand(!alertsOnce || collapse != nil, "alertOnce", "requires collapse")
        try demand(!isOnceAcrossTopics || collapse != nil, "acrossTopics", "requires collapse")
        try demand(clock == nil || at != nil, "clock", "requires at")
        try demand(late == .tell || at != nil, "late", "requires at")
        try demand(!repeats || at != nil, "repeat", "requires at")
        // Somewhere a clock shows the time after the last reader was notified: the trigger would fire again.
        try demand(
            !repeats || clock != .recipient, "repeat",
            "does not work with clock recipient: give at a time of one zone, by zone or a name")
        try demand(throttle?.countsEachCollapse != true || collapse != nil, "throttle.by", "requires collapse")
    }

    /// The row as JSON, every column in the order of ``fields``.
    package var json: JSONValue {
        .object([
            "name": .string(name), "event": .string(event.rawValue), "path": .string(path.text),
            "condition": .string(condition), "audience": audience.json, "kind": .string(kind),
            "level": level.json, "collapse": collapse.map { .string($0) } ?? .null,
            "ttl": ttlSeconds.map { .integer($0) } ?? .null, "title": title.json, "body": body.json,
            "data": .object(data), "at": at.map { .string($0) } ?? .null,
            "webhook": webhook.map { .string($0) } ?? .null, "enabled": .bool(isEnabled),
            "withdraw": withdraw.map { .string($0) } ?? .null, "rearm": rearm.map { .string($0) } ?? .null,
            "throttle": throttle?.json ?? .null, "alertOnce": .bool(alertsOnce),
            "with": with.json, "clock": clock?.json ?? .null, "digest": digest?.json ?? .null,
            "mutes": .string(mutes.rawValue), "acrossTopics": .bool(isOnceAcrossTopics), "late": late.json,
            "repeat": repeats ? true : .null, "blocks": .string(blocks.rawValue),
        ])
    }
}

/// Which mutes of topics count for a notification to the followers of several topics.
///
/// - Confinement: any
package enum MuteRule: String, Sendable, Hashable, CaseIterable {
    /// Any mute of one of the topics, followed or not.
    case any
    /// Only mutes of all topics that the reader follows.
    case all
}

/// Whether people who block the user that wrote a change are notified of it.
///
/// - Confinement: any
package enum BlockRule: String, Sendable, Hashable, CaseIterable {
    /// They are not, as with everything that people write to each other.
    case hold
    /// They are: the writer is the hand of an institution, whose notices must arrive.
    case ignore
}
