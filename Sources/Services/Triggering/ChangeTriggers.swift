package import ClientProtocol
package import JSON
package import Model
import Store
import Triggers

/// `PUT /v1/triggers/NAME`: a row of the trigger table, new or over the old one.
///
/// - Confinement: any
package struct PutTrigger: WriteUseCase {
    let definition: TriggerDefinition
    package let key: WriteKey?

    /// Checks the row's form; what only the compilation shows is refused when it is performed.
    ///
    /// - Throws: `Refusal` naming the column.
    package init(name: String, row: JSONObject, key: WriteKey?) throws(Refusal) {
        var row = row
        if let written = row["name"], written != .string(name) {
            throw Refusal.badRequest(field: "name", "must be \(name), as in the address, or absent")
        }
        row["name"] = .string(name)
        do {
            definition = try TriggerDefinition(json: .object(row))
        } catch {
            throw Refusal(error)
        }
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("trigger.put")
        fingerprint.add(definition.json.text)
    }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        do {
            try context.engine.check(definition)
        } catch {
            throw Refusal(error)
        }
        let row = definition.json.text
        context.engine.forgive(definition.name)
        if let url = definition.webhook { try context.transaction.enableEndpoint(url: url) }
        // What is put again as it is stays where it is in time: what was before it is not new to it.
        let standing = try context.transaction.triggers.position(of: definition.name, row: row)
        let position = try standing ?? put(row, in: context)
        reply.member("name", definition.name)
        reply.member("seq", position.value)
        if let warning = doubt(in: context) { reply.member("warnings", .array([.string(warning)])) }
    }

    /// What to think of an audience that nobody reaches by the paths of follows.
    private func doubt(in context: WriteContext) -> String? {
        for plural in definition.audience.followedKinds {
            guard let kind = context.collections.kind(ofCollection: plural), kind != plural else { continue }
            return "audience: '\(plural)' is a plural: a document \(plural)/ID/followers/USER makes USER follow "
                + "\(kind):ID; "
                + "write followers:\(kind):…"
        }
        return nil
    }

    private func put(_ row: String, in context: WriteContext) throws -> Position {
        let position = try context.transaction.appendSilently()
        try forgetEarlier(in: context)
        try context.transaction.triggers.put(definition.name, row: row, at: position)
        try context.engine.reload(rows: context.transaction.triggers.all())
        return position
    }
}

extension PutTrigger {
    /// Drops what the earlier row remembers, unless it is put again unchanged, and what it has scheduled where the new one
    /// would not have.
    private func forgetEarlier(in context: WriteContext) throws {
        let earlier = context.engine.trigger(named: definition.name)?.definition
        guard earlier != nil || context.engine.broken[definition.name] != nil, earlier != definition else { return }
        try context.transaction.triggerStates.forget(definition.name)
        guard let earlier, definition.isEnabled, definition.at != nil, definition.path == earlier.path,
            definition.event == earlier.event, definition.audience == earlier.audience,
            definition.webhook == earlier.webhook
        else {
            return try context.transaction.triggers.unschedule(trigger: definition.name)
        }
    }
}

/// `DELETE /v1/triggers/NAME`.
///
/// - Confinement: any
package struct DeleteTrigger: WriteUseCase {
    let name: String

    package init(name: String) { self.name = name }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        guard try context.transaction.triggers.delete(name) else {
            throw Refusal(.notFound, "there is no trigger \(name)", field: "name")
        }
        let position = try context.transaction.appendSilently()
        try context.transaction.triggers.unschedule(trigger: name)
        try context.transaction.triggerStates.forget(name)
        context.engine.tally.forget(name)
        try context.engine.reload(rows: context.transaction.triggers.all())
        reply.member("name", name)
        reply.member("seq", position.value)
    }
}

/// `GET /v1/triggers` and `GET /v1/triggers/NAME`.
///
/// - Confinement: any
package struct ReadTriggers: ReadUseCase {
    let name: String?
    let counts: [(name: String, counts: TriggerTally.Counts)]
    let broken: [String: String]

    /// - Parameters:
    ///   - name: of one; nil for all.
    ///   - counts: what they did since the start, which stands beside the list of all.
    ///   - broken: those that are set aside, and why, which stands in their rows in the list.
    package init(
        name: String?,
        counts: [(name: String, counts: TriggerTally.Counts)] = [],
        broken: [String: String] = [:]
    ) {
        self.name = name
        self.broken = broken
        self.counts = counts
    }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        let triggers = context.transaction.triggers
        if let name {
            guard let row = try triggers.find(name) else {
                throw Refusal(.notFound, "there is no trigger \(name)", field: "name")
            }
            for (name, value) in try StoredJSON.object(row, place: "triggers.row").members {
                reply.member(name, value)
            }
            return
        }
        reply.name("triggers")
        reply.beginArray()
        for row in try triggers.all() {
            let reason = broken.isEmpty ? nil : broken[TriggerEngine.name(ofRow: row)]
            guard let reason else {
                reply.raw(Array(row.utf8))
                continue
            }
            var members = (try? StoredJSON.object(row, place: "triggers.row")) ?? [:]
            members["broken"] = .string(reason)
            reply.value(.object(members))
        }
        reply.endArray()
        reply.name("counts")
        reply.beginObject()
        for (name, counts) in counts { reply.member(name, counts.json) }
        reply.endObject()
    }
}

/// Fires what is scheduled and due, and takes away the notifications that have expired. The server asks for it when the
/// time of the next one has come.
///
/// - Confinement: any
package struct FireDueTriggers: WriteUseCase {
    /// Schedules fired, and notifications taken away, in one go, so that the chats between them do not wait.
    package static let batch = 100

    package init() {}

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let transaction = context.transaction
        let due = try transaction.triggers.due(at: context.now, limit: Self.batch)
        var isCut = false
        for schedule in due {
            // The texts of one in many languages are long.
            context.engine.meter.charge(
                TriggerLimits.rowWork
                    + (schedule.wanted.utf8.count + (schedule.webhook?.utf8.count ?? 0)) / TriggerLimits.bytesPerWork)
            try transaction.triggers.unschedule(schedule.trigger, path: schedule.path)
            try fire(schedule, in: context)
            isCut = context.engine.meter.isSpent
            if isCut { break }
        }
        let expired = try transaction.notifications.expired(at: context.now, limit: Self.batch)
        for entry in expired {
            let isInbox = try transaction.users.find(entry.stream) != nil
            try context.remove(entry, reason: .expired, isInbox: isInbox)
        }
        if let next = try transaction.triggers.nextDue() { reply.member("next", next.milliseconds) }
        if isCut || due.count == Self.batch || expired.count == Self.batch { reply.member(DueBatch.isMoreDue, true) }
    }

    /// One that cannot be read is set aside among the dead: it must not hold up those behind it for ever. One that came
    /// too late (the server was off) tells nobody.
    private func fire(_ schedule: TriggerSchedule, in context: WriteContext) throws {
        do {
            let scheduled = try ScheduledNotification(parsing: schedule.wanted, trigger: schedule.trigger)
            let trigger = context.engine.trigger(named: schedule.trigger)
            var draft = scheduled.draft(change: schedule.change, path: schedule.path)
            // What comes at a time of its own brings nothing up to date.
            if trigger?.definition.repeats == true { draft.alertsOnce = false }
            if isTooLate(schedule, draft, scheduled, trigger, in: context) {
                guard let trigger else { return }
                return try context.transaction.savepoint {
                    _ = try context.goOnRepeating(trigger, path: schedule.path)
                }
            }
            let written = try context.transaction.savepoint {
                let turn = try ZoneTurn(
                    scheduled, late: trigger?.definition.late ?? .tell, at: context.now, in: context.transaction)
                draft.zones = turn?.zones ?? []
                let written = turn?.isNobodys == true ? 0 : try context.notify(scheduled.audience, draft)
                if turn?.isNobodys != true { try context.queueWebhook(of: schedule, written: written) }
                if let turn, let next = turn.next {
                    try context.goOn(with: schedule, scheduled, after: turn, at: next)
                } else if let trigger, try !context.goOnRepeating(trigger, path: schedule.path) {
                    try context.disarm(trigger, path: schedule.path)
                }
                return written
            }
            context.engine.tally.noteDue(schedule.trigger, written: written)
        } catch let problem as StoredValueProblem {
            // The stream of a topic that was new here is undone, too.
            context.streamsOfTopics.removeAll()
            try setAside(schedule, problem.description, in: context)
        } catch let problem as TriggerProblem {
            context.streamsOfTopics.removeAll()
            try setAside(schedule, "schedules.wanted: \(problem)", in: context)
        }
    }

    /// Whether what was scheduled tells nobody any more, which is counted.
    private func isTooLate(
        _ schedule: TriggerSchedule,
        _ draft: NotificationDraft,
        _ scheduled: ScheduledNotification,
        _ trigger: CompiledTrigger?,
        in context: WriteContext
    ) -> Bool {
        if let expires = draft.expires, expires <= context.now {
            context.engine.tally.noteExpired(schedule.trigger)
            return true
        }
        // By the recipients' clocks each zone is late by itself.
        guard scheduled.wall == nil, trigger?.definition.late.isOver(schedule.due, at: context.now) == true else {
            return false
        }
        context.engine.tally.noteLate(schedule.trigger)
        return true
    }

    private func setAside(_ schedule: TriggerSchedule, _ reason: String, in context: WriteContext) throws {
        let transaction = context.transaction
        // What is scheduled may be older than the log: under its own change the letter would be trimmed at once, and under
        // that of the newest, which may be as old, soon after.
        let isKnown = try schedule.change > transaction.retention.from()
        try transaction.triggers.insertDead(
            trigger: schedule.trigger,
            path: schedule.path,
            change: isKnown ? schedule.change : transaction.appendSilently(),
            reason: reason,
            at: context.now
        )
    }
}

extension Refusal {
    /// A row of the trigger table that cannot be: the column, and what is wrong with it.
    init(_ problem: TriggerProblem) {
        self = Refusal(.badRequest, problem.message, field: problem.field)
    }
}
