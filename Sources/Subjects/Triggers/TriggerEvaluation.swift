package import JSON
package import Model

/// Evaluates triggers for changes: a function of the row, the change and its time.
///
/// - Confinement: store
package enum TriggerEvaluation {
    /// The outcome of one trigger for one change.
    ///
    /// - Parameters:
    ///   - now: The time of the change itself, as it travels with the command.
    ///   - isArmed: False when the trigger has fired for the document and was not rearmed since.
    ///   - waiting: The time that is scheduled for the document and still waits; matters to `late`.
    /// - Returns: The outcome; a row's failure is an outcome and never an error.
    package static func evaluate(
        _ trigger: CompiledTrigger,
        change: DocumentChange,
        now: Timestamp,
        isArmed: Bool = true,
        waiting: Timestamp? = nil
    ) -> TriggerOutcome {
        let row = trigger.definition
        guard row.event.includes(change.event), let values = row.path.match(change.path) else {
            return .skipped(.notWatched)
        }
        if let condition = trigger.condition {
            switch condition.evaluate(change, names: values, now: now) {
            case .value(_, isTrue: true): break
            case .value(let value, isTrue: false): return .skipped(.condition(value))
            case .failure(let message): return failed(trigger, "condition", message)
            }
        }
        guard isArmed else { return .skipped(.notRearmed) }
        guard let at = trigger.at else { return wanted(trigger, change, values, now: now, due: .init(at: now)) }
        switch at.evaluate(change, names: values, now: now) {
        case .failure(let message): return failed(trigger, "at", message)
        case .value(.null, _): return .skipped(.noTime)
        case .value(let value, _):
            guard let due = TriggerClock.due(value, by: row.clock, now: now) else {
                return failed(trigger, "at", "\(value) is not a time")
            }
            guard due.wall != nil || !row.late.isOver(due.at, at: now, waiting: waiting) else {
                return .skipped(.late(due.at))
            }
            return wanted(trigger, change, values, now: now, due: due)
        }
    }

    /// The value of a trigger's condition, found without SQLite where possible; NULL where the row has none, or it
    /// fails.
    package static func conditionValue(_ trigger: CompiledTrigger, change: DocumentChange, now: Timestamp) -> SQLValue {
        if let value = trigger.decidingShape?.falsehood(before: change.before, after: change.after) { return value }
        guard let condition = trigger.condition, let names = trigger.definition.path.match(change.path),
            case .value(let value, _) = condition.evaluate(change, names: names, now: now)
        else { return .null }
        return value
    }

    /// Whether the change takes back the trigger's notifications about the document.
    ///
    /// - Throws: ``TriggerFailure`` naming `withdraw`.
    package static func withdraws(
        _ trigger: CompiledTrigger,
        change: DocumentChange,
        now: Timestamp
    ) throws(TriggerFailure) -> Bool {
        try isTrue(trigger.withdraw, "withdraw", trigger, change, now)
    }

    /// Whether the change lets the trigger fire again for the document.
    ///
    /// - Throws: ``TriggerFailure`` naming `rearm`.
    package static func rearms(
        _ trigger: CompiledTrigger,
        change: DocumentChange,
        now: Timestamp
    ) throws(TriggerFailure) -> Bool {
        try isTrue(trigger.rearm, "rearm", trigger, change, now)
    }

    /// False where there is no expression, or the path does not match.
    private static func isTrue(
        _ expression: Condition?,
        _ field: String,
        _ trigger: CompiledTrigger,
        _ change: DocumentChange,
        _ now: Timestamp
    ) throws(TriggerFailure) -> Bool {
        guard let expression, let names = trigger.definition.path.match(change.path) else { return false }
        switch expression.evaluate(change, names: names, now: now) {
        case .value(_, let isTrue): return isTrue
        case .failure(let message):
            throw TriggerFailure(trigger: trigger.definition.name, field: field, message: message)
        }
    }

    /// The highest level whose expression is true.
    private static func level(
        _ trigger: CompiledTrigger,
        _ change: DocumentChange,
        _ now: Timestamp
    ) throws(TriggerFailure) -> InterruptionLevel {
        switch trigger.definition.level {
        case .one(let level): return level
        case .byDocument(_, let otherwise):
            for (level, condition) in trigger.levels
            where try isTrue(condition, "level.\(level.rawValue)", trigger, change, now) {
                return level
            }
            return otherwise
        }
    }

    /// The notification of a trigger without regard to its condition; or why it cannot be made.
    static func wanted(
        _ trigger: CompiledTrigger,
        _ change: DocumentChange,
        _ values: [String],
        now: Timestamp,
        due: TriggerClock.Due
    ) -> TriggerOutcome {
        let row = trigger.definition
        let names = Dictionary(zip(row.path.names, values), uniquingKeysWith: { first, _ in first })
        let audience: (audience: Audience, missing: [String])
        do {
            audience = try row.audience.resolve(names: names, before: change.before, after: change.after)
        } catch { return failed(trigger, "audience", error.message) }
        let rendered: NotificationTemplates.Rendered
        let budget = RenderBudget(
            steps: trigger.meter.allowance(of: TriggerLimits.templateStepsMax * TriggerLimits.templateStepWork)
                / TriggerLimits.templateStepWork)
        do {
            rendered = try trigger.templates.render(
                TemplateContext(change: change, names: names, others: row.with.names, now: now, budget: budget))
            trigger.meter.charge(budget.work)
        } catch {
            if budget.isSpent { trigger.meter.chargeOverrun(budget.work) } else { trigger.meter.charge(budget.work) }
            return failed(trigger, "title", error.message)
        }
        let level: InterruptionLevel
        do { level = try self.level(trigger, change, now) } catch { return .failed(error) }
        let isLater = due.at > now || due.wall != nil
        let begins = due.wall.map(TriggerClock.last(showing:)) ?? max(due.at, now)
        let wanted = NotificationWanted(
            trigger: row.name,
            audience: audience.audience,
            kind: row.kind,
            level: level,
            collapse: rendered.collapse,
            expires: row.ttlSeconds.map { begins.adding(milliseconds: $0 * 1000) },
            texts: rendered.texts,
            data: rendered.data,
            throttle: row.throttle,
            alertsOnce: row.alertsOnce,
            needsAllMuted: row.mutes == .all,
            isOnceAcrossTopics: row.isOnceAcrossTopics,
            wall: due.wall,
            ignoresBlocks: row.blocks == .ignore,
            missingPeople: audience.missing
        )
        return isLater ? .scheduled(at: due.at, wanted) : .wanted(wanted)
    }

    /// The texts and the data of a notification that a trigger has sent, for its document as it is now. Condition, audience and
    /// level were decided when it was sent.
    ///
    /// - Parameter at: when it was sent.
    /// - Returns: nil when the row is about other documents, or the texts cannot be made.
    package static func words(
        _ trigger: CompiledTrigger, change: DocumentChange, at: Timestamp
    ) -> (texts: Localized<NotificationText>, data: JSONValue)? {
        let row = trigger.definition
        guard let values = row.path.match(change.path) else { return nil }
        let names = Dictionary(zip(row.path.names, values), uniquingKeysWith: { first, _ in first })
        let budget = RenderBudget()
        defer { trigger.meter.charge(budget.work) }
        do throws(PatternProblem) {
            let rendered = try trigger.templates.render(
                TemplateContext(change: change, names: names, others: row.with.names, now: at, budget: budget))
            return (rendered.texts, rendered.data)
        } catch {
            return nil
        }
    }

    private static func failed(_ trigger: CompiledTrigger, _ field: String, _ message: String) -> TriggerOutcome {
        .failed(TriggerFailure(trigger: trigger.definition.name, field: field, message: message))
    }
}

extension Condition {
    /// Evaluates the expression for a change.
    func evaluate(_ change: DocumentChange, names: [String], now: Timestamp) -> Outcome {
        evaluate(
            before: change.beforeBytes, after: change.afterBytes,
            names: change.readerZone.map { names + [$0] } ?? names,
            others: change.others.map { $0?.bytes }, now: now)
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
