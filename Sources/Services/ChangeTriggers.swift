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
        let position = try context.transaction.appendSilently()
        try forgetEarlier(in: context)
        try context.transaction.triggers.put(definition.name, row: definition.json.text, at: position)
        try context.engine.reload(rows: context.transaction.triggers.all())
        reply.member("name", definition.name)
        reply.member("seq", position.value)
    }
}

extension PutTrigger {
    /// Drops what the earlier row remembers, unless it is put again unchanged, and what it has scheduled where the new one
    /// would not have.
    private func forgetEarlier(in context: WriteContext) throws {
        guard let earlier = context.engine.trigger(named: definition.name)?.definition, earlier != definition else {
            return
        }
        try context.transaction.triggerStates.forget(definition.name)
        guard definition.isEnabled, definition.at != nil, definition.path == earlier.path else {
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

    /// - Parameter name: of one; nil for all.
    package init(name: String?) { self.name = name }

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
        for row in try triggers.all() { reply.raw(Array(row.utf8)) }
        reply.endArray()
    }
}

/// Fires what is scheduled and due, and takes away the notifications that have expired. The server asks for it when the
/// time of the next one has come.
///
/// - Confinement: any
package struct FireDueTriggers: WriteUseCase {
    /// Schedules fired, and notifications taken away, in one go, so that the chats between them do not wait.
    private static let batch = 100

    package init() {}

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let transaction = context.transaction
        for schedule in try transaction.triggers.due(at: context.now, limit: Self.batch) {
            try transaction.triggers.unschedule(schedule.trigger, path: schedule.path)
            try fire(schedule, in: context)
        }
        for entry in try transaction.notifications.expired(at: context.now, limit: Self.batch) {
            let isInbox = try transaction.users.find(entry.stream) != nil
            try context.remove(entry, reason: .expired, isInbox: isInbox)
        }
        if let next = try transaction.triggers.nextDue() { reply.member("next", next.milliseconds) }
    }

    /// One that cannot be read is set aside among the dead: it must not hold up those behind it for ever.
    private func fire(_ schedule: TriggerRowTable.Schedule, in context: WriteContext) throws {
        do {
            let scheduled = try ScheduledNotification(parsing: schedule.wanted, trigger: schedule.trigger)
            _ = try context.notify(scheduled.audience, scheduled.draft(change: schedule.change, path: schedule.path))
            if let trigger = context.engine.trigger(named: schedule.trigger) {
                try context.disarm(trigger, path: schedule.path)
            }
        } catch let problem as StoredValueProblem {
            try context.transaction.triggers.insertDead(
                trigger: schedule.trigger,
                path: schedule.path,
                change: schedule.change,
                reason: problem.description,
                at: context.now
            )
        }
    }
}

/// `GET /v1/dead`: triggers that gave up on a change, newest first.
///
/// - Confinement: any
package struct ListDead: ReadUseCase {
    let before: String?
    let limit: Int

    package init(before: String?, limit: Int) {
        self.before = before
        self.limit = limit
    }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        let before = try Cursor.number(before, field: "before") ?? .max
        let dead = try context.transaction.triggers.dead(before: before, limit: limit + 1)
        reply.name("dead")
        reply.beginArray()
        for entry in dead.prefix(limit) {
            reply.beginObject()
            reply.member("id", entry.id)
            reply.member("trigger", entry.trigger)
            reply.member("path", entry.path)
            reply.member("seq", entry.change.value)
            reply.member("reason", entry.reason)
            reply.member("at", entry.at.text)
            reply.endObject()
        }
        reply.endArray()
        if dead.count > limit { reply.member("next", String(dead[limit - 1].id)) }
    }
}

extension Refusal {
    /// A row of the trigger table that cannot be: the column, and what is wrong with it.
    init(_ problem: TriggerProblem) {
        self = Refusal(.badRequest, problem.message, field: problem.field)
    }
}
