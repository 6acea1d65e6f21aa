package import Model

/// Evaluates triggers for changes: a function of the row, the change and its time.
///
/// - Confinement: store
package enum TriggerEvaluation {
    /// What one trigger comes to for one change.
    ///
    /// - Parameters:
    ///   - now: The time of the change itself, as it travels with the command.
    /// - Returns: The outcome; a row's failure is one of them and never an error.
    package static func evaluate(
        _ trigger: CompiledTrigger,
        change: DocumentChange,
        now: Timestamp
    ) -> TriggerOutcome {
        let row = trigger.definition
        guard row.event.includes(change.event), let values = row.path.match(change.path) else {
            return .skipped(.notWatched)
        }
        if let condition = trigger.condition {
            switch condition.evaluate(
                before: change.beforeBytes,
                after: change.afterBytes,
                names: values,
                now: now
            )
            {
            case .value(_, isTrue: true): break
            case .value(let value, isTrue: false): return .skipped(.condition(value))
            case .failure(let message): return failed(trigger, "condition", message)
            }
        }
        guard let at = trigger.at else { return wanted(trigger, change, values, now: now, firesAt: now) }
        switch at.evaluate(before: change.beforeBytes, after: change.afterBytes, names: values, now: now) {
        case .failure(let message): return failed(trigger, "at", message)
        case .value(.null, _): return .skipped(.noTime)
        case .value(let value, _):
            guard let time = Timestamp(value) else { return failed(trigger, "at", "\(value) is no time") }
            return wanted(trigger, change, values, now: now, firesAt: time)
        }
    }

    /// What is sent, the condition left aside; or why it cannot be made.
    static func wanted(
        _ trigger: CompiledTrigger,
        _ change: DocumentChange,
        _ values: [String],
        now: Timestamp,
        firesAt: Timestamp
    ) -> TriggerOutcome {
        let row = trigger.definition
        let names = Dictionary(zip(row.path.names, values), uniquingKeysWith: { first, _ in first })
        let audience: Audience
        do {
            audience = try row.audience.resolve(names: names, before: change.before, after: change.after)
        } catch { return failed(trigger, "audience", error.message) }
        let rendered: NotificationTemplates.Rendered
        do {
            rendered = try trigger.templates.render(TemplateContext(change: change, names: names, now: now))
        } catch { return failed(trigger, "title", error.message) }
        let isLater = firesAt > now
        let begins = isLater ? firesAt : now
        let wanted = NotificationWanted(
            trigger: row.name,
            audience: audience,
            kind: row.kind,
            level: row.level,
            collapse: rendered.collapse,
            expires: row.ttlSeconds.map { begins.adding(milliseconds: $0 * 1000) },
            texts: rendered.texts,
            data: rendered.data
        )
        return isLater ? .scheduled(at: firesAt, wanted) : .wanted(wanted)
    }

    private static func failed(_ trigger: CompiledTrigger, _ field: String, _ message: String) -> TriggerOutcome {
        .failed(TriggerFailure(trigger: trigger.definition.name, field: field, message: message))
    }
}

extension Timestamp {
    /// The time an `at` expression means: RFC 3339, a date alone, SQLite's `YYYY-MM-DD HH:MM[:SS]` in UTC, or seconds
    /// since 1970 as `unixepoch()` gives them; nil for anything else, and outside of the years 0000 to 9999.
    init?(_ value: SQLValue) {
        switch value {
        case .text(let text):
            guard let time = Timestamp(text) ?? Timestamp(text + "Z") ?? Timestamp(text + ":00Z") else { return nil }
            self = time
        case .integer(let seconds):
            guard (-62_167_219_200...253_402_300_799).contains(seconds) else { return nil }
            self.init(seconds: seconds)
        case .real(let seconds):
            guard seconds >= -62_167_219_200, seconds < 253_402_300_800 else { return nil }
            self.init(milliseconds: Int64((seconds * 1000).rounded(.down)))
        case .null, .blob: return nil
        }
    }
}
